import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf, EventType } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { isToolParseError } from '../../events/tools.ts';
import { foldRun } from '../../projections/run-state.ts';
import type { ModelScript } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { loopAgent } from './loop-agent.ts';
import type { LoopAgentOptions } from './loop-agent-options.ts';
import { defineTool } from './tool.ts';
import type { Tool, ToolCall } from '../contract/agent.ts';
import { runParams } from '../../../test/support/run-params.ts';

const allowAll: PermissionRuleSet = { default: 'allow', rules: [] };
const setUp = (script: ModelScript, options: Partial<LoopAgentOptions> = {}) => {
  const model = scriptedModel(script);
  return { model, agent: loopAgent({ model, permissions: allowAll, ...options }) };
};
async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
const of = <Type extends EventType>(events: readonly AgentEvent[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);
const outputs = (events: readonly AgentEvent[]) => of(events, 'tool_result').map(({ output }) => output);
const reasonOf = (events: readonly AgentEvent[]) => of(events, 'harness_end')[0]?.reason;

const echo = defineTool({
  name: 'echo',
  description: 'says it again',
  input: z.object({ value: z.string() }),
  execute: ({ value }) => ({ context: value, result: { value } }),
});
const call = (value: unknown, id?: string, name = 'echo') => ({
  toolCall: { name, input: { value }, ...(id !== undefined && { id }) },
});
const tool = (name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  input: z.unknown(),
  execute,
  ...more,
});
/** A promise and its resolve function. */
function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>(done => (resolve = done));
  return { promise, resolve };
}

describe('a run', () => {
  it('names the attempt that it repeats, and what that had emitted, when it resumes inside a step', async () => {
    const { agent } = setUp(['Done.']);
    const before: AgentEvent[] = [
      { type: 'harness_start', runId: 'run', agentId: 'loop' },
      { type: 'step_start', runId: 'run', step: 0 },
      { type: 'text', runId: 'run', id: 'run/a', content: 'Do' },
      { type: 'text', runId: 'run', id: 'run/a', content: 'ne' },
      { type: 'tool_call', runId: 'run', id: 'run/c', name: 'echo', input: {} },
    ];
    const events = await collect(agent.invoke(runParams({ run: { resume: foldRun(before, 'run') } })));
    expect(of(events, 'step_start')).toMatchObject([{ step: 0, attempt: 2, replaces: ['run/a', 'run/c'] }]);
  });

  it('is start, steps with their calls and results, and end', async () => {
    const { agent, model } = setUp([[{ text: 'First.' }, call('a', 'c')], 'Done.'], { tools: [echo] });
    const events = await collect(agent.invoke(runParams({ run: { parentId: 'asked:user' } })));
    expect(events).toMatchObject([
      { type: 'harness_start', runId: 'run', agentId: 'loop', parentId: 'asked:user' },
      { type: 'model_context', provider: 'scripted' },
      { type: 'step_start', step: 0, model: 'scripted/scripted' },
      { type: 'text', content: 'First.' },
      { type: 'tool_input_delta', id: 'run/c', name: 'echo' },
      { type: 'tool_call', id: 'run/c', name: 'echo', input: { value: 'a' } },
      { type: 'usage', finishReason: 'tool-calls' },
      { type: 'tool_start', id: 'run/c' },
      { type: 'tool_result', id: 'run/c', output: { context: 'a', result: { value: 'a' } } },
      { type: 'step_start', step: 1 },
      { type: 'text', content: 'Done.' },
      { type: 'usage', finishReason: 'stop' },
      { type: 'harness_end', reason: 'complete' },
    ]);
    expect(checkOrder(events)).toEqual([]);
    expect(model.requests[1]?.toolResults).toEqual([{ id: 'c', text: 'a' }]);
  });

  it('does nothing before the first event is requested', () => {
    const { agent, model } = setUp(['Hi.']);
    agent.invoke(runParams());
    expect(model.requests).toEqual([]);
  });

  it('passes its start to the model, so that a resuming process uses the same', async () => {
    const events = await collect(setUp([]).agent.invoke(runParams({ run: { model: 'nobody/x' } })));
    expect(events[0]).toMatchObject({ type: 'harness_start', model: 'nobody/x' });
    expect(events.slice(1)).toMatchObject([
      { type: 'error', code: 'unknown_provider', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
  });

  it('never throws: an internal failure is an error event', async () => {
    const steering = {
      take: () => {
        throw new Error('no steering');
      },
    };
    const events = await collect(setUp(['Hi.']).agent.invoke(runParams({ host: { steering } })));
    expect(events.slice(1)).toMatchObject([
      { type: 'error', message: 'no steering', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
  });

  it('rejects two tools of one name, and a parallel limit of zero', () => {
    expect(() => setUp([], { tools: [echo, echo] })).toThrow('two tools with the name "echo"');
    expect(() => setUp([], { parallel: 0 })).toThrow('at least 1');
  });
});

describe('tool input', () => {
  it('is validated before execution; a problem is a result for the model', async () => {
    const { agent, model } = setUp([[call(5)], 'Sorry.'], { tools: [echo] });
    const events = await collect(agent.invoke(runParams()));
    expect(outputs(events)).toEqual([{ error: expect.stringMatching(/not valid: value: .*string/) as string }]);
    expect(of(events, 'tool_start')).toEqual([]);
    expect(model.requests[1]?.toolResults[0]?.text).toContain('not valid');
    expect(reasonOf(events)).toBe('complete');
  });

  it('reaches the tool as parsed by the schema', async () => {
    const seen: unknown[] = [];
    const input = z.object({ value: z.string().trim(), times: z.number().default(2) });
    const trims = defineTool({ name: 'echo', description: '', input, execute: given => void seen.push(given) });
    await collect(setUp([[call(' a ')], 'Done.'], { tools: [trims] }).agent.invoke(runParams()));
    expect(seen).toEqual([{ value: 'a', times: 2 }]);
  });

  it('may have any Standard Schema, together with its JSON Schema', async () => {
    const input = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: async (value: unknown) =>
          (value as { value?: unknown }).value === 'good'
            ? { value: 'parsed' }
            : { issues: [{ message: 'must be good', path: [{ key: 'value' }] }] },
      },
    };
    const inputJsonSchema = { type: 'object', properties: { value: { const: 'good' } } };
    const custom: Tool = { name: 'echo', description: '', input, inputJsonSchema, execute: given => String(given) };
    const { agent } = setUp([[call('good'), call('bad')], 'Done.'], { tools: [custom] });
    const events = await collect(agent.invoke(runParams()));
    expect(outputs(events)).toEqual([
      { error: 'The input is not valid: value: must be good.' },
      { context: 'parsed', result: 'parsed' },
    ]);
    expect(() => setUp([], { tools: [{ ...custom, inputJsonSchema: undefined as never }] })).toThrow('inputJsonSchema');
  });

  it('whose schema throws is an error result', async () => {
    const input = z.unknown().transform(() => {
      throw new Error('schema broke');
    });
    const events = await collect(
      setUp([[call(1)], 'Done.'], { tools: [{ ...echo, input }] }).agent.invoke(runParams()),
    );
    expect(outputs(events)).toEqual([{ error: 'schema broke' }]);
  });

  it('that is malformed is answered with an error, and the loop continues', async () => {
    const malformed = { malformedToolCall: { id: 'c', name: 'echo', rawArguments: '{"value": ' } };
    const { agent, model } = setUp([[malformed], 'Done.'], { tools: [echo] });
    const events = await collect(agent.invoke(runParams()));
    const [made] = of(events, 'tool_call');
    expect(isToolParseError(made?.input) && made.input.rawArguments).toBe('{"value": ');
    expect(outputs(events)).toEqual([{ error: expect.stringContaining('not valid JSON') as string }]);
    expect([model.requests.length, reasonOf(events)]).toEqual([2, 'complete']);
  });

  it('for an unknown tool is answered with the known names', async () => {
    const events = await collect(
      setUp([[call('a', 'c', 'ehco')], 'Done.'], { tools: [echo] }).agent.invoke(runParams()),
    );
    expect(outputs(events)).toEqual([{ error: 'There is no tool "ehco". Available: echo.' }]);
  });

  it('for a withheld tool is answered like an unknown one; the model is not offered the tool', async () => {
    const { agent, model } = setUp([[call('a'), call('b', 'd', 'more')], 'Done.'], {
      tools: [echo, tool('own', () => 1)],
    });
    const host = { tools: [tool('more', () => 1)], withheldTools: ['echo', 'more'] };
    const events = await collect(agent.invoke(runParams({ host })));
    expect(model.requests.map(({ toolNames }) => toolNames)).toEqual([['own'], ['own']]);
    expect(outputs(events)).toEqual([
      { error: 'There is no tool "echo". Available: own.' },
      { error: 'There is no tool "more". Available: own.' },
    ]);
  });
});

describe('tool output', () => {
  const outcome = async (execute: Tool['execute'], options: Partial<LoopAgentOptions> = {}) => {
    const { agent, model } = setUp([[call('a')], 'Done.'], { tools: [tool('echo', execute)], ...options });
    const events = await collect(agent.invoke(runParams()));
    return { output: outputs(events)[0], sent: model.requests[1]?.toolResults[0]?.text, events };
  };

  it('that is thrown is an error result, not the end of the run', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    expect(await outcome(fail)).toMatchObject({ output: { error: 'disk full' }, sent: 'disk full' });
    expect((await outcome(() => Promise.reject('plain'))).output).toEqual({ error: 'plain' });
  });

  it('is copied as JSON', async () => {
    const value = { context: { at: new Date(0), none: undefined }, result: [undefined], error: 'not an error' };
    const { output } = await outcome(() => value);
    expect(output).toEqual({ context: { at: '1970-01-01T00:00:00.000Z' }, result: [null] });
    expect((await outcome(() => undefined)).output).toEqual({ context: null, result: null });
  });

  it('that is not JSON is an error result', async () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect((await outcome(() => ({ context: loop }))).output).toMatchObject({
      error: expect.stringContaining('JSON cannot carry') as string,
    });
    expect((await outcome(() => ({ context: 1n }))).output).toHaveProperty('error');
  });

  it('that is too long for a log is an error result, and the run continues', async () => {
    const long = 'x'.repeat(3 * 1024 * 1024);
    for (const value of [long, { context: { long } }])
      expect((await outcome(() => value)).output).toMatchObject({
        error: expect.stringMatching(/returned \d+ characters; at most 2097152 are kept/) as string,
      });
  });

  it('longer than the limit is shortened for the model and whole in the log', async () => {
    const long = 'x'.repeat(500);
    const { output, sent } = await outcome(() => long, { maxOutputLength: 100 });
    expect(output).toEqual({ context: long, result: long });
    expect(sent?.length).toBeLessThanOrEqual(100);
    expect(sent).toMatch(/^x+\n\[… \d+ characters left out …\]\nx+$/);
  });

  it("that takes too long is an error result, and aborts the tool's signal", async () => {
    const seen: unknown[] = [];
    const slow: Tool['execute'] = (_, { signal }) => {
      signal.addEventListener('abort', () => seen.push((signal.reason as Error).name));
      return new Promise(() => {});
    };
    const { output } = await outcome(slow, { tools: [{ ...tool('echo', slow), timeoutMs: 1 }] });
    expect([output, seen]).toEqual([{ error: 'echo was stopped: it took longer than 1 ms.' }, ['TimeoutError']]);
    expect((await outcome(slow, { toolTimeoutMs: 2 })).output).toMatchObject({
      error: expect.stringContaining('2 ms') as string,
    });
  });

  it('has no limit when the limit exceeds the longest timer', async () => {
    const { output } = await outcome(async () => 'fine', { toolTimeoutMs: Number.POSITIVE_INFINITY });
    expect(output).toEqual({ context: 'fine', result: 'fine' });
  });
});

describe('a call that has ended', () => {
  it('emits, asks and starts nothing, though its tool is still running', async () => {
    let late: ToolCall | undefined;
    const heard: unknown[] = [];
    const first = tool('first', (_, context) => {
      late = context;
      return 'ok';
    });
    const second = tool('second', async () => {
      await late?.emit({ type: 'custom', name: 'late', data: 1 });
      heard.push(await late?.ask({ relayKind: 'question', question: 'Why?' }));
      const run = late?.run(loopAgent({ model: scriptedModel(['Hi.']) }), { task: 'Look.' });
      heard.push(await run?.catch((error: Error) => error.message));
      return 'ok';
    });
    const { agent } = setUp([[call('a', 'a', 'first')], [call('b', 'b', 'second')], 'Done.'], {
      tools: [first, second],
    });
    const answers = { wait: () => new Promise<never>(() => {}) };
    const events = await collect(agent.invoke(runParams({ host: { answers } })));
    expect([of(events, 'custom'), of(events, 'relay')]).toEqual([[], []]);
    expect(of(events, 'harness_start')).toHaveLength(1);
    expect(heard).toEqual([undefined, 'The call of first has ended and cannot start a subagent.']);
  });
});

describe('progress', () => {
  it('is emitted with its own ids, and not after the result', async () => {
    let late: (content: unknown) => void = () => {};
    const first = deferred();
    const reports = tool('echo', async (_, { progress }) => {
      progress('half');
      late = progress;
      await first.promise;
      progress(undefined);
      return 'done';
    });
    const { agent } = setUp([[call('a', 'c')], 'Done.'], { tools: [reports] });
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke(runParams())) {
      events.push(event);
      if (event.type === 'tool_progress') first.resolve();
      if (event.type === 'tool_result') late('too late');
    }
    expect(of(events, 'tool_progress')).toMatchObject([
      { id: 'run/c:progress-1', toolCallId: 'run/c', name: 'echo', content: 'half' },
      { id: 'run/c:progress-2', content: null },
    ]);
    expect(checkOrder(events)).toEqual([]);
  });

  it('that is queued is replaced by the next', async () => {
    const chatty = tool('echo', (_, { progress }) => {
      for (let n = 1; n <= 1000; n++) progress(n);
    });
    const events = await collect(setUp([[call('a')], 'Done.'], { tools: [chatty] }).agent.invoke(runParams()));
    expect(of(events, 'tool_progress').map(({ content }) => content)).toEqual([1, 1000]);
  });
});

describe('calls of one turn', () => {
  it('run concurrently, and each result arrives when it is ready', async () => {
    const gates = { a: deferred(), b: deferred(), c: deferred() };
    const order: string[] = [];
    const waits = tool('echo', async input => {
      const { value } = input as { value: keyof typeof gates };
      order.push(value);
      await gates[value].promise;
      return value;
    });
    const { agent, model } = setUp([[call('a'), call('b'), call('c')], 'Done.'], { tools: [waits] });
    const results: unknown[] = [];
    let started = 0;
    for await (const event of agent.invoke(runParams())) {
      if (event.type === 'tool_start' && ++started === 3) gates.c.resolve();
      if (event.type !== 'tool_result') continue;
      results.push(event.id);
      (results.length === 1 ? gates.b : gates.a).resolve();
    }
    expect(order).toEqual(['a', 'b', 'c']);
    expect(results).toEqual(['run/call_3', 'run/call_2', 'run/call_1']);
    expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  it('are limited in number', async () => {
    let running = 0;
    let most = 0;
    const counts = tool('echo', async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
    });
    const turn = Array.from({ length: 9 }, (_, n) => call(n));
    await collect(setUp([turn, 'Done.'], { tools: [counts], parallel: 2 }).agent.invoke(runParams()));
    expect(most).toBe(2);
  });

  it('have unique ids when the model uses one twice, in a turn or later', async () => {
    const script = [[call('a', 'call_1'), call('b', 'call_1')], [call('c', 'call_1')], 'Done.'];
    const { agent, model } = setUp(script, { tools: [echo] });
    const events = await collect(agent.invoke(runParams()));
    expect(of(events, 'tool_call').map(({ id }) => id)).toEqual(['run/call_1', 'run/call_1_2', 'run/call_1_3']);
    expect(checkOrder(events)).toEqual([]);
    expect(model.requests[2]?.toolResults).toEqual([
      { id: 'call_1', text: 'a' },
      { id: 'call_1_2', text: 'b' },
      { id: 'call_1_3', text: 'c' },
    ]);
  });

  it('are sent to the provider with ids it accepts', async () => {
    const ids = ['a/b c', 'x'.repeat(80), `${'x'.repeat(79)}y`];
    const script = [ids.map(id => call(id, id)), 'Done.'];
    const { agent, model } = setUp(script, { tools: [echo] });
    const events = await collect(agent.invoke(runParams()));
    expect(of(events, 'tool_call').map(({ id }) => id)).toEqual(ids.map(id => `run/${id}`));
    expect(model.requests[1]?.toolCalls.map(({ id }) => id)).toEqual(['a_b_c', 'x'.repeat(64), `${'x'.repeat(62)}_2`]);
  });
});

describe('the limit of steps', () => {
  it('ends with one call without tools to conclude', async () => {
    const { agent, model } = setUp(request => (request.toolNames.length > 0 ? [call('again')] : 'In short: no.'), {
      tools: [echo],
      maxIterations: 2,
      instructions: 'Be brief.',
    });
    const events = await collect(agent.invoke(runParams()));
    expect(model.requests.map(({ toolNames }) => toolNames)).toEqual([['echo'], ['echo'], []]);
    expect(model.requests[2]?.messages[0]?.text).toMatch(/^Be brief\.\n\n.*without tools/);
    expect(events.slice(-3)).toMatchObject([
      { type: 'text' },
      { type: 'usage' },
      { type: 'harness_end', reason: 'max_iterations' },
    ]);
  });

  it('answers the calls of a model that asks for tools even then', async () => {
    const { agent } = setUp(() => [call('again')], { tools: [echo], maxIterations: 1 });
    const events = await collect(agent.invoke(runParams()));
    expect(outputs(events)).toEqual([
      { context: 'again', result: { value: 'again' } },
      { error: expect.stringContaining('not run') as string },
    ]);
    expect(checkOrder(events)).toEqual([]);
    expect(reasonOf(events)).toBe('max_iterations');
  });
});

describe('steering', () => {
  const steeringOf = (...batches: string[][]) => ({
    take: () => (batches.shift() ?? []).map((content, n) => ({ id: `s${n}`, content })),
  });

  it('is added after the results of a turn, before the next model call', async () => {
    const { agent, model } = setUp([[call('a')], 'Done.'], { tools: [echo] });
    const events = await collect(
      agent.invoke(runParams({ host: { steering: steeringOf([], ['Hurry.', 'Please.']) } })),
    );
    expect(of(events, 'user')).toMatchObject([
      { runId: 'run', id: 's0', content: 'Hurry.' },
      { id: 's1', content: 'Please.' },
    ]);
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool' },
      { role: 'user', text: 'Hurry.Please.' },
    ]);
  });

  it('continues a run that had its answer', async () => {
    const { agent, model } = setUp(['Done.', 'Done again.']);
    const events = await collect(agent.invoke(runParams({ host: { steering: steeringOf([], ['One more thing.']) } })));
    expect(model.requests[1]?.messages).toMatchObject([
      { text: 'Go.' },
      { text: 'Done.' },
      { text: 'One more thing.' },
    ]);
    expect(reasonOf(events)).toBe('complete');
  });
});

describe('a stop', () => {
  it('ends a model call, and keeps the partial text', async () => {
    const stop = new AbortController();
    const { agent } = setUp([{ text: 'one two three four', delayMs: 1 }]);
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke(runParams({ run: { signal: stop.signal } }))) {
      events.push(event);
      if (event.type === 'text' && event.content.includes('two')) stop.abort();
    }
    expect(
      of(events, 'text')
        .map(({ content }) => content)
        .join(''),
    ).toBe('one two');
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
  });

  it('ends the delay before a retry', async () => {
    const stop = new AbortController();
    const { agent } = setUp([{ httpStatus: 500 }], { retry: { baseMs: 1e6, maxMs: 1e6 } });
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke(runParams({ run: { signal: stop.signal } }))) {
      events.push(event);
      if (event.type === 'warning') stop.abort();
    }
    expect(reasonOf(events)).toBe('aborted');
  });

  it('reaches the tools, and does not wait for one that ignores the signal', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const deaf = tool('deaf', () => new Promise(() => {}));
    const listens = tool('listens', (_, { signal }) => {
      signal.addEventListener('abort', () => seen.push('aborted'));
      return new Promise(() => {});
    });
    const waits = [call(1, 'a', 'deaf'), call(2, 'b', 'listens'), call(3, 'c', 'deaf')];
    const { agent } = setUp([waits], { tools: [deaf, listens], parallel: 2 });
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke(runParams({ run: { signal: stop.signal } }))) {
      events.push(event);
      if (of(events, 'tool_start').length === 2) setImmediate(() => stop.abort());
    }
    expect(seen).toEqual(['aborted']);
    expect(outputs(events)).toEqual([]);
    expect(of(events, 'tool_start').map(({ id }) => id)).toEqual(['run/a', 'run/b']);
    expect(reasonOf(events)).toBe('aborted');
  });

  it('before the run calls no model', async () => {
    const { agent, model } = setUp(['Hi.']);
    const events = await collect(agent.invoke(runParams({ run: { signal: AbortSignal.abort() } })));
    expect([model.requests.length, reasonOf(events)]).toEqual([0, 'aborted']);
  });
});

describe('the consumer', () => {
  const executed = (script: ModelScript, options: Partial<LoopAgentOptions> = {}) => {
    const runs: string[] = [];
    const notes = tool('echo', input => void runs.push((input as { value: string }).value));
    return { runs, ...setUp(script, { tools: [notes], ...options }) };
  };

  it('delays a tool until it requests the event after its start', async () => {
    const { agent, runs } = executed([[call('a')], 'Done.']);
    const events = agent.invoke(runParams())[Symbol.asyncIterator]();
    let next = await events.next();
    while (!next.done && next.value.type !== 'tool_start') next = await events.next();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(runs).toEqual([]);
    await events.next();
    expect(runs).toEqual(['a']);
  });

  it('that detaches at a start leaves that tool and the following ones unexecuted', async () => {
    const { agent, runs } = executed([[call('a'), call('b'), call('c')], 'Done.']);
    for await (const event of agent.invoke(runParams())) if (event.type === 'tool_start') break;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(runs).toEqual([]);
  });

  it('that detaches stops the running tools', async () => {
    const aborted = deferred();
    const listens = tool('echo', (_, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => {});
    });
    const reports = tool('report', (_, { progress }) => {
      progress('here');
      return new Promise(() => {});
    });
    const { agent } = setUp([[call('a'), call('b', 'r', 'report')]], { tools: [listens, reports] });
    for await (const event of agent.invoke(runParams())) if (event.type === 'tool_progress') break;
    await aborted.promise;
  });

  it('that detaches during a model call stops the model', async () => {
    const stopped = deferred();
    const model = scriptedModel([]);
    const stream = new ReadableStream({
      pull: controller => controller.enqueue({ type: 'text-delta', id: 't', delta: 'x' }),
      cancel: () => stopped.resolve(),
    });
    const agent = loopAgent({ model: { ...model, doStream: async () => ({ stream }) } });
    for await (const event of agent.invoke(runParams())) if (event.type === 'text') break;
    await stopped.promise;
  });
});

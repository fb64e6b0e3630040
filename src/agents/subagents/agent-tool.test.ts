import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { createGraph, type Graph, reduceEvent } from '../../graph/graph.ts';
import { getChildren } from '../../graph/queries.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { foldRunTree } from '../../projections/run-state.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import type { Agent } from '../contract/agent.ts';
import type { Answers } from '../contract/host.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import type { LoopAgentOptions } from '../loop/loop-agent-options.ts';
import { defineTool } from '../loop/tool.ts';
import { type ModelScript, type ScriptedPart, scriptByStep } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { agentTool } from './agent-tool.ts';
import { runParams, type SetParams } from '../../../test/support/run-params.ts';

const allowed: PermissionRuleSet = { default: 'allow', rules: [] };
const agentOf = (script: ModelScript, options: Partial<LoopAgentOptions> = {}) =>
  loopAgent({ model: scriptedModel(script), permissions: allowed, ...options });
const ask = (task: string, more: object = {}): ScriptedPart => ({
  toolCall: { name: 'agent', input: { task, ...more } },
});
const helper = (script: ModelScript = ['Found it.'], options: Partial<LoopAgentOptions> = {}) =>
  agentOf(script, { id: 'helper', ...options });
const described = (agent: Agent) => ({ agent, description: `the ${agent.id}` });
const parentOf = (script: ModelScript, child: Agent, options: Omit<Parameters<typeof agentTool>[0], 'agents'> = {}) =>
  agentOf(script, { tools: [agentTool({ agents: [described(child)], ...options })] });

async function run(agent: Agent, params: SetParams = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke(runParams(params, 'go'))) events.push(event);
  expect(checkOrder(events)).toEqual([]);
  return events;
}
const of = <Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type) =>
  events.filter((event): event is EventOf<Type> => event.type === type);
const resultsOf = (events: readonly AgentEvent[], runId = 'run') =>
  of(events, 'tool_result')
    .filter(event => event.runId === runId)
    .map(event => event.output);

describe('a subagent', () => {
  it('is a separate run, caused by the call, in the same stream; its text is the result', async () => {
    const events = await run(parentOf(scriptByStep([[ask('search for X')], 'Based on the search.']), helper()));
    const [call] = of(events, 'tool_call');
    const start = of(events, 'harness_start')[1];
    expect(start).toMatchObject({ parentId: call?.id, agentId: 'helper' });
    expect(resultsOf(events)).toEqual([
      { context: 'Found it.', result: { agentId: 'helper', runId: start?.runId, reason: 'complete' } },
    ]);
    expect(events.map(event => event.type).join(' ')).toContain(
      'tool_start harness_start model_context step_start text',
    );
  });

  it('has the graph of the specification, edge by edge', async () => {
    const bash = defineTool({ name: 'bash', description: 'runs', input: z.object({}), execute: () => 'out' });
    const child = helper(
      scriptByStep([[{ text: 'Searching...' }, { toolCall: { name: 'bash', input: {} } }], 'Found results']),
      {
        tools: [bash],
      },
    );
    const parent = parentOf(
      scriptByStep([[{ text: "I'll search..." }, ask('search for X')], 'Based on the search...']),
      child,
    );
    let graph: Graph = createGraph();
    const events = await run(parent, { run: { parentId: 'user-1:user' } });
    for (const event of events) graph = reduceEvent(graph, event);
    const a2 = of(events, 'harness_start')[1]?.runId as string;
    const call = of(events, 'tool_call')[0]?.id as string;
    const next = (id: string) => getChildren(graph, id).map(node => node.id);
    const walk = (from: string, count: number) => {
      const kinds: string[] = [];
      let at = from;
      for (let left = count; left > 0; left--) {
        kinds.push(graph.nodes.get(at)?.kind ?? 'none');
        at = next(at).find(id => id !== `${a2}:harness_start`) ?? 'none';
      }
      return kinds;
    };
    expect(next(call)).toContain(`${a2}:harness_start`);
    expect(walk(`${a2}:harness_start`, 8)).toEqual([
      'harness_start',
      'text',
      'tool_call',
      'usage',
      'tool_result',
      'text',
      'usage',
      'harness_end',
    ]);
    expect(walk('run:harness_start', 8)).toEqual([
      'harness_start',
      'text',
      'tool_call',
      'usage',
      'tool_result',
      'text',
      'usage',
      'harness_end',
    ]);
  });

  it('runs concurrently with others, and nests', async () => {
    let together = 0;
    let most = 0;
    const wait = defineTool({
      name: 'wait',
      description: 'waits',
      input: z.object({}),
      execute: async () => {
        most = Math.max(most, ++together);
        await new Promise(resolve => setImmediate(resolve));
        together--;
      },
    });
    const leaf = agentOf(scriptByStep([[{ toolCall: { name: 'wait', input: {} } }], 'leaf']), {
      id: 'leaf',
      tools: [wait],
    });
    const middle = agentOf(scriptByStep([[ask('a'), ask('b')], 'middle']), {
      id: 'middle',
      tools: [agentTool({ agents: [described(leaf)] })],
    });
    const events = await run(parentOf(scriptByStep([[ask('1'), ask('2')], 'Done.']), middle));
    expect(
      of(events, 'harness_start')
        .map(event => event.agentId)
        .toSorted(),
    ).toEqual(['leaf', 'leaf', 'leaf', 'leaf', 'loop', 'middle', 'middle']);
    expect(most).toBe(4);
    expect(resultsOf(events).map(output => (output as { context?: unknown }).context)).toEqual(['middle', 'middle']);
  });

  it('that fails is a failed call, and the others continue', async () => {
    const failing = agentOf(() => ({ httpStatus: 400, message: 'no' }), { id: 'failing' });
    const tool = agentTool({ agents: [described(failing), described(helper())] });
    const script = scriptByStep([
      [ask('a', { agent: 'failing' }), ask('b', { agent: 'helper' }), ask('c', { agent: 'x' })],
      'ok',
    ]);
    const events = await run(agentOf(script, { tools: [tool] }));
    const outputs = of(events, 'tool_result').map(event => event.output);
    expect(outputs).toContainEqual({ error: expect.stringContaining('The subagent "failing" failed: ') as string });
    expect(outputs).toContainEqual(expect.objectContaining({ context: 'Found it.' }));
    expect(outputs).toContainEqual({ error: 'Unknown agent "x". Known agents: failing, helper.' });
  });
});

describe('limits', () => {
  it('stop endless recursion', async () => {
    const self: Agent = agentOf(scriptByStep([[ask('again')], 'back']), {
      id: 'self',
      tools: [agentTool({ agents: () => [described(self)], maxDepth: 2 })],
    });
    const events = await run(self);
    expect(of(events, 'harness_start')).toHaveLength(3);
    expect(of(events, 'tool_result')[0]?.output).toEqual({
      error: 'Agents may start each other 2 deep, and this is the last. Do the task yourself.',
    });
  });

  it('apply to the number of started subagents, also concurrent ones', async () => {
    const parent = parentOf(
      scriptByStep([[ask('1'), ask('2'), ask('3')], 'Done.']),
      helper(() => 'ok'),
      { budget: { runs: 2 } },
    );
    const events = await run(parent);
    expect(of(events, 'harness_start')).toHaveLength(3);
    expect(resultsOf(events).filter(output => 'error' in (output as object))).toEqual([
      { error: 'The budget for subagents is used up (runs: 2). Do the task yourself.' },
    ]);
  });

  it('stop a subagent that has used up the budget, counting those below it', async () => {
    const endless = agentOf(() => ({ parts: [ask('x')], usage: { inputTokens: 10, outputTokens: 1 } }), {
      id: 'endless',
      tools: [agentTool({ agents: [described(helper(() => 'small'))] })],
    });
    const parent = parentOf(scriptByStep([[ask('1')], 'Done.']), endless, { budget: { inputTokens: 100 } });
    const events = await run(parent);
    expect(resultsOf(events)).toEqual([
      { error: 'The subagent "endless" failed: It was stopped: the budget for subagents is used up.' },
    ]);
    const used = of(events, 'usage').filter(event => event.runId !== 'run');
    expect(used.reduce((sum, event) => sum + event.inputTokens, 0)).toBe(100);
  });

  it('apply to the number of concurrent subagents', async () => {
    let most = 0;
    let open = 0;
    const slow: Agent = {
      id: 'slow',
      async *invoke({ run: { runId } }) {
        most = Math.max(most, ++open);
        yield { type: 'harness_start', runId, agentId: 'slow' };
        await new Promise(resolve => setImmediate(resolve));
        open--;
        yield { type: 'harness_end', runId, agentId: 'slow', reason: 'complete' };
      },
    };
    const four = [ask('1'), ask('2'), ask('3', { background: true }), ask('4', { background: true })];
    await run(parentOf(scriptByStep([four, 'Done.']), slow, { parallel: 2 }));
    expect(most).toBe(2);
  });
});

describe('permissions of a subagent', () => {
  const touch = defineTool({
    name: 'touch',
    description: 't',
    category: 'edit',
    input: z.object({}),
    execute: () => 'ok',
  });
  const child = (permissions = allowed) =>
    helper(scriptByStep([[{ toolCall: { name: 'touch', input: {} } }], 'ok']), { tools: [touch], permissions });
  const script = scriptByStep([[ask('1')], 'Done.']);
  const parent = (rules: PermissionRuleSet, agent = child()) =>
    agentOf(script, { tools: [agentTool({ agents: [described(agent)] })], permissions: rules });
  const outputsOfTouch = (events: AgentEvent[]) =>
    of(events, 'tool_result')
      .filter(event => event.name === 'touch')
      .map(event => event.output);

  it('are never wider than those of its parent', async () => {
    const rules = { default: 'allow' as const, rules: [{ tool: 'touch', policy: 'deny' as const }] };
    expect(outputsOfTouch(await run(parent(rules)))).toMatchObject([{ status: 'denied' }]);
  });

  it('may be narrower', async () => {
    const narrow = child({ default: 'deny', rules: [] });
    expect(outputsOfTouch(await run(parent(allowed, narrow)))).toMatchObject([{ status: 'denied' }]);
  });

  it('ask the person, in the stream of the parent', async () => {
    const asked: string[] = [];
    const answers: Answers = {
      wait: relayId => {
        asked.push(relayId);
        return Promise.resolve({ relayId, outcome: 'approve' });
      },
    };
    const rules = { default: 'allow' as const, rules: [{ tool: 'touch', policy: 'ask' as const }] };
    const events = await run(parent(rules), { host: { answers } });
    expect(of(events, 'relay')).toMatchObject([{ id: asked[0], tool: 'touch', relayKind: 'permission' }]);
    expect(of(events, 'relay')[0]?.runId).not.toBe('run');
    expect(outputsOfTouch(events)).toMatchObject([{ context: 'ok' }]);
  });
});

describe('a subagent in the background', () => {
  it('lets its parent continue; the parent receives its result before it ends', async () => {
    const requests: string[] = [];
    const parent = agentOf(
      request => {
        requests.push(request.lastUserText);
        if (request.index === 0) return [ask('slow', { background: true })];
        return request.index === 1 ? 'Meanwhile.' : 'Now I know.';
      },
      { tools: [agentTool({ agents: [described(helper())] })] },
    );
    const events = await run(parent);
    const child = of(events, 'harness_start')[1]?.runId;
    expect(resultsOf(events)).toMatchObject([{ result: { agentId: 'helper', runId: child, background: true } }]);
    expect(of(events, 'user')).toMatchObject([{ runId: 'run', by: 'helper', automatic: true, id: `${child}:outcome` }]);
    expect(requests.at(-1)).toContain('ended:\n\nFound it.');
    expect(
      of(events, 'text')
        .filter(event => event.runId === 'run')
        .map(event => event.content)
        .join(''),
    ).toBe('Meanwhile.Now I know.');
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', runId: 'run', reason: 'complete' });
  });

  it('shows its events while its parent thinks', async () => {
    let release = () => {};
    const released = new Promise<void>(resolve => (release = resolve));
    const parent: Agent = agentOf(scriptByStep([[ask('slow', { background: true })], 'Meanwhile.', 'Done.']), {
      model: slowSecondCall(released, [[ask('slow', { background: true })], 'Meanwhile.', 'Done.']),
      tools: [agentTool({ agents: [described(helper())] })],
    });
    const seen: string[] = [];
    for await (const event of parent.invoke(runParams({}, 'go'))) {
      seen.push(`${event.runId === 'run' ? 'parent' : 'child'} ${event.type}`);
      if (event.type === 'harness_end' && event.runId !== 'run') release();
    }
    expect(seen.indexOf('child harness_end')).toBeLessThan(seen.lastIndexOf('parent text'));
  });

  it('ends with its parent', async () => {
    const forever: Agent = {
      id: 'forever',
      async *invoke({ run: { runId, signal, parentId } }) {
        yield { type: 'harness_start', runId, agentId: 'forever', ...(parentId !== undefined && { parentId }) };
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
        yield { type: 'harness_end', runId, agentId: 'forever', reason: 'aborted' };
      },
    };
    const script: ModelScript = request =>
      request.index === 0 ? [ask('x', { background: true })] : { httpStatus: 400, message: 'down' };
    const events = await run(parentOf(script, forever));
    expect(of(events, 'harness_end')).toMatchObject([{ agentId: 'forever', reason: 'aborted' }, { reason: 'error' }]);
  });
});

/** A model whose second call waits before it answers. */
function slowSecondCall(released: Promise<void>, turns: Parameters<typeof scriptByStep>[0]) {
  let count = 0;
  const model = scriptedModel(request => turns[request.index] ?? 'Done.');
  const doStream = model.doStream.bind(model);
  return Object.assign(model, {
    doStream: async (options: Parameters<typeof doStream>[0]) => {
      if (++count === 2) await released;
      return doStream(options);
    },
  });
}

describe('under the supervisor', () => {
  async function setUp(agents: readonly Agent[] = []) {
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    return { log, threadId, supervisor: new Supervisor({ log, agents }) };
  }
  const waitFor = async (log: MemoryLog, threadId: string, found: (event: LoggedEvent) => boolean) => {
    for await (const event of log.tail(threadId)) if (found(event)) return event;
    throw new Error('the tail ended');
  };
  const touch = (done: string[]) =>
    defineTool({
      name: 'touch',
      description: 't',
      input: z.object({}),
      execute: (_, { runId }) => {
        done.push(runId);
        return 'touched';
      },
    });
  const asking = (done: string[]) => {
    const child = helper(scriptByStep([[{ toolCall: { name: 'touch', input: {} } }], 'Child done.']), {
      tools: [touch(done)],
      permissions: { default: 'ask', rules: [] },
    });
    return parentOf(scriptByStep([[ask('1')], 'Parent done.']), child);
  };

  it('an abort ends the subagent and withdraws its questions', async () => {
    const { log, threadId, supervisor } = await setUp();
    const handle = await supervisor.start(threadId, { agent: asking([]), content: 'go' });
    const relay = await waitFor(log, threadId, event => event.type === 'relay');
    await supervisor.abort(handle.runId);
    const events = await log.read(threadId);
    expect(checkOrder(events)).toEqual([]);
    expect(of(events, 'relay_resolved')).toMatchObject([
      { relayId: (relay as EventOf<'relay'>).id, outcome: 'cancelled' },
    ]);
    expect(of(events, 'harness_end').map(event => [event.agentId, event.reason])).toEqual([
      ['helper', 'aborted'],
      ['loop', 'aborted'],
    ]);
  });

  it('resumes after its process ended: asked once, run once, in the same runs', async () => {
    const done: string[] = [];
    const agent = asking(done);
    const { log, threadId, supervisor } = await setUp();
    const handle = await supervisor.start(threadId, { agent, content: 'go' });
    const relay = (await waitFor(log, threadId, event => event.type === 'relay')) as EventOf<'relay'>;
    await supervisor.close();
    const next = new Supervisor({ log, agents: [agent] });
    const [continued] = await next.recover();
    await next.answer(threadId, relay.id, { outcome: 'approve' });
    expect([continued?.runId, await continued?.done]).toEqual([handle.runId, 'complete']);
    const events = await log.read(threadId);
    expect(checkOrder(events)).toEqual([]);
    expect(of(events, 'harness_start')).toHaveLength(2);
    expect(of(events, 'relay')).toHaveLength(1);
    expect(done).toEqual([relay.runId]);
    expect(resultsOf(events, handle.runId)).toMatchObject([{ context: 'Child done.' }]);
    const state = foldRunTree(events, handle.runId);
    expect([...state.children.values()].flat().map(child => child.endedBy?.reason)).toEqual(['complete']);
  });

  it('one that cannot resume is ended as interrupted, and its parent is notified', async () => {
    const stuck: Agent = {
      id: 'stuck',
      async *invoke({ run: { runId, parentId, signal } }) {
        yield { type: 'harness_start', runId, agentId: 'stuck', ...(parentId !== undefined && { parentId }) };
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    };
    const agent = parentOf(scriptByStep([[ask('1')], 'Parent done.']), stuck);
    const { log, threadId, supervisor } = await setUp();
    await supervisor.start(threadId, { agent, content: 'go' });
    await waitFor(log, threadId, event => event.type === 'harness_start' && event.agentId === 'stuck');
    await supervisor.close();
    const [continued] = await new Supervisor({ log, agents: [agent] }).recover();
    expect(await continued?.done).toBe('complete');
    const events = await log.read(threadId);
    expect(of(events, 'harness_end').map(event => event.reason)).toEqual(['interrupted', 'complete']);
    expect(resultsOf(events, continued?.runId)).toMatchObject([
      { error: 'The subagent "stuck" failed: The run ended: interrupted.' },
    ]);
  });

  it('an orphaned one in the background is ended, and its parent is notified', async () => {
    const stuck: Agent = {
      id: 'stuck',
      async *invoke({ run: { runId, parentId, signal } }) {
        yield { type: 'harness_start', runId, agentId: 'stuck', ...(parentId !== undefined && { parentId }) };
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    };
    const script: ModelScript = request => {
      if (request.messages.length === 1) return [ask('1', { background: true })];
      return request.lastUserText.includes('failed') ? 'I see.' : 'Waiting.';
    };
    const agent = parentOf(script, stuck);
    const { log, threadId, supervisor } = await setUp();
    await supervisor.start(threadId, { agent, content: 'go' });
    await waitFor(log, threadId, event => event.type === 'text');
    await supervisor.close();
    const [continued] = await new Supervisor({ log, agents: [agent] }).recover();
    expect(await continued?.done).toBe('complete');
    const events = await log.read(threadId);
    expect(checkOrder(events)).toEqual([]);
    expect(of(events, 'harness_end').map(event => event.reason)).toEqual(['interrupted', 'complete']);
    expect(
      of(events, 'text')
        .map(event => event.content)
        .join(''),
    ).toContain('I see.');
  });
});

describe('questions of a tool', () => {
  it('survive the process: the person is asked once, the tool receives the answer', async () => {
    const question = defineTool({
      name: 'ask',
      description: 'asks',
      input: z.object({}),
      repeatable: true,
      timeoutMs: Number.POSITIVE_INFINITY,
      execute: async (_, context) => {
        const first = await context.ask({ relayKind: 'question', question: 'Which?' });
        const second = await context.ask({ relayKind: 'question', question: 'Sure?' });
        return `${String(first?.answer)} ${String(second?.answer)}`;
      },
    });
    const agent = agentOf(scriptByStep([[{ toolCall: { name: 'ask', input: {} } }], 'Done.']), { tools: [question] });
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const relays = async (count: number) => {
      const found: EventOf<'relay'>[] = [];
      for await (const event of log.tail(threadId)) {
        if (event.type === 'relay') found.push(event);
        if (found.length === count) return found;
      }
      return found;
    };
    const first = new Supervisor({ log });
    await first.start(threadId, { agent, content: 'go' });
    const [which] = await relays(1);
    await first.close();
    const second = new Supervisor({ log, agents: [agent] });
    const [continued] = await second.recover();
    await second.answer(threadId, which?.id as string, { outcome: 'answer', answer: 'this' });
    const [, sure] = await relays(2);
    await second.close();
    await continued?.done;
    const third = new Supervisor({ log, agents: [agent] });
    const [last] = await third.recover();
    await third.answer(threadId, sure?.id as string, { outcome: 'answer', answer: 'yes' });
    expect(await last?.done).toBe('complete');
    const events = await log.read(threadId);
    expect(of(events, 'relay')).toHaveLength(2);
    expect(of(events, 'tool_start')).toHaveLength(1);
    expect(of(events, 'tool_result')[0]?.output).toEqual({ context: 'this yes', result: 'this yes' });
  });

  it('have no answer when nobody can be asked', async () => {
    const question = defineTool({
      name: 'ask',
      description: 'asks',
      input: z.object({}),
      execute: async (_, context) =>
        (await context.ask({ relayKind: 'question', question: 'Which?' }))?.outcome ?? 'nobody',
    });
    const events = await run(
      agentOf(scriptByStep([[{ toolCall: { name: 'ask', input: {} } }], 'Done.']), { tools: [question] }),
    );
    expect(resultsOf(events)).toEqual([{ context: 'nobody', result: 'nobody' }]);
  });
});

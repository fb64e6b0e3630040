import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  agentOf,
  answering,
  calls,
  echo,
  type Of,
  plain,
  readAll,
  runtimeOf,
  typesOf,
  usageOf,
} from '../../test/support/runtime-scene.ts';
import { gate, scriptedAgent } from '../../test/support/scripted-agent.ts';
import { defineTool } from '../agents/tool-definition/define-tool.ts';
import { scriptByStep } from '../agents/model/scripted/script.ts';
import { scriptedModel } from '../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../log/memory-log.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { createRuntime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const hello = () => agentOf(['Hello.']);
const echoing = () => agentOf([[calls('echo', { value: 'hi' })], 'Done.'], { tools: [echo] });
const textOf = (events: readonly FlowEvent[]) =>
  events.map(event => (event.type === 'text' ? event.text : '')).join('');
const last = <Type extends FlowEvent['type']>(events: readonly FlowEvent[], type: Type) =>
  events.findLast((event): event is Of<Type> => event.type === type);

describe('a runtime', () => {
  it('asks the agent that is named, else the first, with the model that is named', async () => {
    const runtime = runtimeOf({ agent: hello(), agents: [agentOf(['Bye.'], { id: 'second' })] });
    expect(textOf(await readAll(runtime.query('Hi', { threadId: 'a' })))).toBe('Hello.');
    expect(textOf(await readAll(runtime.query('Hi', { threadId: 'b', agent: 'second' })))).toBe('Bye.');
    await expect(runtime.query('Hi', { threadId: 'c', agent: 'third' }).next()).rejects.toMatchObject({
      code: 'agent_not_found',
      message: 'There is no agent "third" here. There are: main, second.',
    });
    const models: (string | undefined)[] = [];
    const seeing = scriptedAgent('seeing', async function* ({ params, event }) {
      models.push(params.run.model);
      yield event('text', { id: 'a', content: 'I see.' });
    });
    await readAll(runtimeOf({ agent: seeing }).query('Hi', { threadId: 't', model: 'test/one' }));
    expect(models).toEqual(['test/one']);
  });

  it('creates a thread for a query without options', async () => {
    const storage = new MemoryLog();
    const runtime = runtimeOf({ agent: hello(), storage });
    expect(textOf(await readAll(runtime.query('Hi')))).toBe('Hello.');
    expect(textOf(await readAll(runtime.query('Hi again')))).toBe('Hello.');
    expect(await storage.listThreads()).toHaveLength(2);
  });

  it('ends a request that reaches a limit of spending with an error', async () => {
    const runtime = runtimeOf({ agent: echoing(), limits: { run: { tokens: 1 } } });
    const events = await readAll(runtime.query('Hi'));
    expect(last(events, 'error')).toMatchObject({
      error: { code: 'limit_reached', message: expect.stringContaining('The limit of 1 tokens per run') as string },
    });
  });

  it('asks a specialist directly, and no other agent as one', async () => {
    const specialists = [{ agent: agentOf(['Found.'], { id: 'scout' }), description: 'looks' }];
    const runtime = runtimeOf({ agent: hello(), specialists });
    const events = await readAll(runtime.runSpecialist('scout', 'Look.', { threadId: 't' }));
    expect(textOf(events)).toBe('Found.');
    expect(last(events, 'data-cost-summary')?.data.agents).toMatchObject([{ agentName: 'scout' }]);
    await expect(runtime.runSpecialist('main', 'Look.', { threadId: 't' }).next()).rejects.toMatchObject({
      code: 'agent_not_found',
    });
  });

  it.each([
    [{}, 'has no agent'],
    [{ agent: hello(), agents: [hello()] }, 'two agents with the id "main"'],
    [{ agent: hello(), specialists: [{ agent: hello(), description: 'again' }] }, 'two agents with the id "main"'],
  ] as [Partial<RuntimeOptions>, string][])('refuses agents with the same name (%#)', (options, problem) => {
    expect(() => createRuntime({ resourceId: 'acme', ...options })).toThrowError(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(problem) }),
    );
  });

  it('keeps threads in memory when it is given no storage', async () => {
    const runtime = createRuntime({ resourceId: 'acme', agent: hello() });
    expect(textOf(await readAll(runtime.query('Hi', { threadId: 't' })))).toBe('Hello.');
    expect(textOf(await readAll(runtime.watch('t')))).toBe('Hello.');
  });

  it('makes the thread for its resource, goes on in it, and finds none of another resource', async () => {
    const model = scriptedModel(scriptByStep(['Hello.']));
    const runtime = runtimeOf({ agent: agentOf(['Hello.'], { model }) });
    await readAll(runtime.query('One', { threadId: 't' }));
    await readAll(runtime.query('Two', { threadId: 't' }));
    expect(await runtime.storage.getThread('t')).toMatchObject({ id: 't', resourceId: 'acme' });
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual(['One', 'Hello.', 'Two']);
    const other = runtimeOf({ agent: hello(), storage: runtime.storage, resourceId: 'other' });
    const refused = { code: 'thread_not_found' };
    await expect(other.query('Hi', { threadId: 't' }).next()).rejects.toMatchObject(refused);
    await expect(other.watch('t').next()).rejects.toMatchObject(refused);
    await expect(other.cancel('t')).rejects.toMatchObject(refused);
    await expect(other.pendingApprovals({ threadId: 't' })).rejects.toMatchObject(refused);
    await expect(other.plans('t')).rejects.toMatchObject(refused);
  });

  it('runs one request of a thread at a time', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: { tools: { echo: 'ask' } } });
    const first = runtime.query('One', { threadId: 't' });
    const second = runtime.query('Two', { threadId: 't' });
    const begun = await Promise.allSettled([first.next(), second.next()]);
    expect(begun).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'run_under_way' } }]);
    await expect(runtime.query('Two', { threadId: 't' }).next()).rejects.toMatchObject({ code: 'run_under_way' });
    await runtime.cancel('t');
    expect(typesOf(await readAll(runtime.query('Three', { threadId: 't' }), answering(runtime, 'approve')))).toContain(
      'finish',
    );
  });

  it('can be asked again as soon as the end of a stream is read', async () => {
    const runtime = runtimeOf({ agent: hello() });
    for (let round = 0; round < 3; round++)
      for await (const event of runtime.query('Hi', { threadId: 't' })) if (event.type === 'finish') break;
    expect(textOf(await readAll(runtime.query('Hi', { threadId: 't' })))).toBe('Hello.');
    const failing = runtimeOf({ agent: agentOf([{ httpStatus: 400 }]) });
    for (let round = 0; round < 3; round++)
      for await (const event of failing.query('Hi', { threadId: 't' })) if (event.type === 'error') break;
  });

  it('starts nothing before the stream is read', async () => {
    const runtime = runtimeOf({ agent: hello() });
    runtime.query('Hi', { threadId: 't' });
    expect(await runtime.storage.getThread('t')).toBeUndefined();
    expect(await readEvents(runtime.query('Hi', { threadId: 't', signal: AbortSignal.abort() }))).toEqual([]);
    expect(await runtime.storage.getThread('t')).toBeUndefined();
  });
});

async function readEvents(stream: AsyncIterable<FlowEvent>): Promise<FlowEvent[]> {
  const events: FlowEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('a reader', () => {
  it('that stops reading leaves the run alone, and reads the rest later', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: { tools: { echo: 'ask' } } });
    const before: FlowEvent[] = [];
    for await (const event of runtime.query('Hi', { threadId: 't' })) {
      before.push(event);
      if (event.type !== 'approval-required') continue;
      await runtime.respondToApproval(event.data.id, 'approve');
      break;
    }
    const whole = await readAll(runtime.watch('t'));
    expect(last(whole, 'finish')?.finishReason).toBe('stop');
    expect(await readEvents(runtime.watch('t', { after: before.length }))).toEqual(whole.slice(before.length));
    expect(whole.slice(0, before.length)).toEqual(before);
  });

  it('ends by its signal while it waits, and the run continues', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: { tools: { echo: 'ask' } } });
    const stop = new AbortController();
    const events: FlowEvent[] = [];
    for await (const event of runtime.query('Hi', { threadId: 't', signal: stop.signal })) {
      events.push(event);
      if (event.type === 'approval-required') queueMicrotask(() => stop.abort());
    }
    expect(typesOf(events)).toEqual(['step-start', 'tool-invocation', 'approval-required']);
    const [pending] = await runtime.pendingApprovals();
    await runtime.respondToApproval(pending?.id as string, 'approve');
    expect(last(await readAll(runtime.watch('t')), 'finish')?.finishReason).toBe('stop');
  });

  it('watches the newest request, or the one that is named; none is an error', async () => {
    const runtime = runtimeOf({ agent: agentOf(scriptByUser) });
    await runtime.storage.createThread({ id: 't', resourceId: 'acme' });
    await expect(runtime.watch('t').next()).rejects.toMatchObject({ code: 'run_not_found' });
    const one = await readAll(runtime.query('One', { threadId: 't' }));
    const two = await readAll(runtime.query('Two', { threadId: 't' }));
    expect(await readEvents(runtime.watch('t'))).toEqual(two);
    const [first] = (await runtime.storage.read('t')).filter(({ type }) => type === 'harness_start');
    expect(await readEvents(runtime.watch('t', { runId: first?.runId as string }))).toEqual(one);
    expect([textOf(one), textOf(two)]).toEqual(['You said One.', 'You said Two.']);
  });

  it('watches what a person asked, not what an agent asked another', async () => {
    const runtime = runtimeOf({
      agent: agentOf([[calls('agent', { task: 'Look.' })], 'Done.']),
      specialists: [{ agent: agentOf(['Found.'], { id: 'scout' }), description: 'looks' }],
    });
    const events = await readAll(runtime.query('Hi', { threadId: 't' }));
    expect(await readAll(runtime.watch('t'))).toEqual(events);
  });

  it('of which there are several all read the same', async () => {
    const going = gate();
    const begun = gate();
    const agent = scriptedAgent('main', async function* ({ event, until }) {
      yield event('text', { id: 'a', content: 'Well, ' });
      begun.open();
      await until(going.opened);
      yield event('text', { id: 'a', content: 'yes.' });
    });
    const runtime = runtimeOf({ agent });
    const first = readAll(runtime.query('Hi', { threadId: 't' }));
    await begun.opened;
    const second = readAll(runtime.watch('t'));
    going.open();
    expect(textOf(await first)).toBe('Well, yes.');
    expect(await second).toEqual(await first);
  });

  it('ends when the runtime closes', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: { tools: { echo: 'ask' } } });
    const events: FlowEvent[] = [];
    for await (const event of runtime.query('Hi', { threadId: 't' })) {
      events.push(event);
      if (event.type === 'approval-required') await runtime.close();
    }
    expect(typesOf(events)).toEqual(['step-start', 'tool-invocation', 'approval-required']);
  });
});

const scriptByUser = (request: { lastUserText: string }) => `You said ${request.lastUserText}.`;

describe('cancelling a thread', () => {
  it('takes back what was asked, in the right order', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: { tools: { echo: 'ask' } } });
    const events = await readAll(runtime.query('Hi', { threadId: 't' }), async event => {
      if (event.type === 'approval-required') await runtime.cancel('t');
    });
    expect(plain(events).slice(2, -2)).toMatchObject([
      { type: 'approval-required' },
      { type: 'approval-decision', data: { outcome: { outcome: 'reject' } } },
      { type: 'tool-invocation', state: 'result' },
      { type: 'finish', finishReason: 'aborted' },
    ]);
  });

  it('stops the agents below too', async () => {
    const started = gate();
    const scout = scriptedAgent('scout', async function* ({ until, event }) {
      yield event('text', { id: 'a', content: 'Looking.' });
      started.open();
      await until(new Promise(() => {}));
    });
    const runtime = runtimeOf({
      agent: agentOf([[calls('agent', { task: 'Look.' })], 'Done.']),
      specialists: [{ agent: scout, description: 'looks' }],
    });
    const reading = readAll(runtime.query('Hi', { threadId: 't' }));
    await started.opened;
    await runtime.cancel('t');
    expect(typesOf(await reading)).toEqual([
      'step-start',
      'tool-invocation',
      'tool-agent',
      'tool-agent',
      'data-tool-agent',
      'tool-invocation',
      'finish',
      'data-cost-summary',
      'data-latency-summary',
    ]);
  });

  it('is refused when nothing runs', async () => {
    const runtime = runtimeOf({ agent: hello() });
    await readAll(runtime.query('Hi', { threadId: 't' }));
    await expect(runtime.cancel('t')).rejects.toMatchObject({ code: 'run_not_found' });
  });
});

describe('the summaries', () => {
  it('have the cost of each agent and model in the currency that was chosen, and in US dollars else', async () => {
    const scout = scriptedAgent('scout', async function* ({ event }) {
      yield event('usage', { inputTokens: 5, outputTokens: 1, cacheReadTokens: 2, model: 'test/small', cost: 0.5 });
    });
    const agent = scriptedAgent(
      'main',
      async function* ({
        event,
        params: {
          run: { runId },
        },
      }) {
        yield event('tool_call', { id: `${runId}/c`, name: 'agent', input: { task: 'Look.' } });
        yield { type: 'harness_start', runId: 'below', agentId: 'scout', parentId: `${runId}/c` };
        yield { type: 'usage', runId: 'below', inputTokens: 7, outputTokens: 3, model: 'test/small', cost: 0.25 };
        yield { type: 'harness_end', runId: 'below', agentId: 'scout', reason: 'complete' };
        yield event('usage', { inputTokens: 10, outputTokens: 2, model: 'test/large', cost: 2 });
        yield event('usage', { inputTokens: 1, outputTokens: 1, model: 'test/free' });
      },
    );
    const euro = runtimeOf({ agent, currency: { code: 'EUR', perDollar: 0.5 } });
    const events = await readAll(euro.query('Hi', { threadId: 't' }));
    expect(last(events, 'finish')?.usage).toEqual(usageOf(18, 6));
    expect(last(events, 'data-cost-summary')?.data).toEqual({
      currency: 'EUR',
      total: 1.125,
      agents: [
        { agentName: 'scout', model: 'test/small', usage: usageOf(7, 3), cost: 0.125 },
        { agentName: 'main', model: 'test/large', usage: usageOf(10, 2), cost: 1 },
        { agentName: 'main', model: 'test/free', usage: usageOf(1, 1) },
      ],
    });
    const dollars = await readAll(runtimeOf({ agent: scout }).query('Hi', { threadId: 't' }));
    expect(last(dollars, 'data-cost-summary')?.data).toMatchObject({ currency: 'USD', total: 0.5 });
  });

  it('price what models report by what the host says', async () => {
    const runtime = runtimeOf({ agent: hello(), priceOf: ({ inputTokens }) => inputTokens * 0.5 });
    const events = await readAll(runtime.query('Hi', { threadId: 't' }));
    expect(last(events, 'data-cost-summary')?.data).toMatchObject({ currency: 'USD', total: 5 });
  });

  it('say where the time went: models, tools and people', async () => {
    const clock = new ManualClock();
    const slow = defineTool({
      name: 'echo',
      description: 'slow',
      input: z.object({ value: z.string() }),
      execute: () => {
        clock.advance(500);
        return 'ok';
      },
    });
    const turns = scriptByStep([[calls('echo', { value: 'hi' })], 'Done.']);
    const script: typeof turns = request => {
      clock.advance(100);
      return turns(request);
    };
    const storage = new MemoryLog({ now: () => clock.now() });
    const runtime = runtimeOf({
      agent: agentOf(script, { tools: [slow] }),
      storage,
      approvals: { tools: { echo: 'ask' } },
    });
    const events = await readAll(runtime.query('Hi', { threadId: 't' }), async event => {
      if (event.type !== 'approval-required') return;
      clock.advance(1_000);
      await runtime.respondToApproval(event.data.id, 'approve');
    });
    expect(last(events, 'data-latency-summary')?.data).toEqual({
      totalMs: 1_700,
      firstEventMs: 100,
      firstTextMs: 1_700,
      modelMs: 200,
      toolMs: 500,
      subagentMs: 0,
      approvalMs: 1_000,
      tools: [{ toolName: 'echo', calls: 1, totalMs: 500, maxMs: 500 }],
      retries: 0,
    });
  });
});

import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Agent } from '../../agents/contract/agent.ts';
import { defineTool } from '../../agents/loop/tool.ts';
import type { ConversationParams } from '../../agents/contract/run-params.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { type ModelScript, scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import type { AgentEvent, EventOf, EventType } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { continueRun, Supervisor } from './supervisor.ts';

const echo = defineTool({
  name: 'echo',
  description: 'says it again',
  input: z.object({ value: z.string() }),
  execute: ({ value }) => ({ context: value, result: { value } }),
});
const agentOf = (script: ModelScript, options: Partial<Parameters<typeof loopAgent>[0]> = {}) =>
  loopAgent({ model: scriptedModel(script), tools: [echo], permissions: { default: 'allow', rules: [] }, ...options });
const oneCall = scriptByStep([{ toolCall: { id: 'c', name: 'echo', input: { value: 'hi' } } }, 'Done.']);

async function setUp(options: Partial<ConstructorParameters<typeof Supervisor>[0]> = {}) {
  const log = options.log ?? new MemoryLog();
  const { id: threadId } = await log.createThread();
  return { log, threadId, supervisor: new Supervisor({ log, ...options }) };
}

async function waitFor<Type extends EventType>(
  log: EventLog,
  threadId: string,
  type: Type,
  count = 1,
): Promise<EventOf<Type>> {
  for await (const event of log.tail(threadId)) if (event.type === type && --count === 0) return event as EventOf<Type>;
  throw new Error('the tail ended');
}
const types = (events: readonly AgentEvent[]) => events.map(event => event.type);

/** An agent that emits these events and then does what `then` does. */
const fake = (
  id: string,
  events: (runId: string) => AgentEvent[],
  then?: (signal: AbortSignal) => Promise<void>,
): Agent => ({
  id,
  async *invoke({ run: { runId, signal } }) {
    yield { type: 'harness_start', runId, agentId: id };
    yield* events(runId);
    await then?.(signal);
  },
});
const forever = () => new Promise<void>(() => {});

describe('a run', () => {
  it('is in the log completely, in legal order, caused by the message', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: agentOf(oneCall), content: 'Say hi' });
    expect(await run.done).toBe('complete');
    const events = await log.read(threadId);
    expect(types(events)).toEqual([
      'user',
      'run_requested',
      'harness_start',
      'model_context',
      'step_start',
      'tool_input_delta',
      'tool_call',
      'usage',
      'tool_start',
      'tool_result',
      'step_start',
      'text',
      'usage',
      'harness_end',
    ]);
    expect(events[1]?.parentId).toBe(`${events[0]?.runId}:user`);
    expect(checkOrder(events)).toEqual([]);
    expect(supervisor.running()).toEqual([]);
  });

  it('continues the conversation', async () => {
    const { threadId, supervisor } = await setUp();
    const model = scriptedModel(['One.', 'Two.']);
    const agent = loopAgent({ model });
    await (await supervisor.start(threadId, { agent, content: 'first' })).done;
    await (await supervisor.start(threadId, { agent, content: 'second' })).done;
    expect(model.requests[1]?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'first'],
      ['assistant', 'One.'],
      ['user', 'second'],
    ]);
  });

  it('receives the projection of its thread from scratch', async () => {
    const { log, threadId, supervisor } = await setUp();
    const inner = agentOf(oneCall);
    let given: ConversationParams['messages'] = [];
    const agent: Agent = {
      ...inner,
      invoke: params => {
        given = params.conversation.messages;
        return inner.invoke(params);
      },
    };
    for (const content of ['first', 'second', 'third']) {
      await (await supervisor.start(threadId, { agent, content })).done;
      const events = await log.read(threadId);
      const asked = events.slice(0, events.findLastIndex(event => event.type === 'user') + 1);
      const conversation = asked.reduce(reduceConversation, createConversation());
      expect(given).toEqual(projectMessages(conversation, defaultActive(conversation)));
    }
    expect(given).toHaveLength(9);
  });

  it('that throws ends with an error, and does not affect another', async () => {
    const { log, threadId, supervisor } = await setUp();
    const broken = fake(
      'broken',
      () => [],
      () => Promise.reject(new Error('boom')),
    );
    const [bad, good] = await Promise.all([
      supervisor.start(threadId, { agent: broken, content: 'a' }),
      supervisor.start(threadId, { agent: agentOf(oneCall), content: 'b', parallel: true }),
    ]);
    expect([await bad.done, await good.done]).toEqual(['error', 'complete']);
    const own = (await log.read(threadId)).filter(event => event.runId === bad.runId);
    expect(own).toMatchObject([
      { type: 'run_requested' },
      { type: 'harness_start' },
      { type: 'error', message: 'boom', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
  });

  it('is the only one of its thread in a process, unless it is asked for in parallel', async () => {
    const { log, threadId, supervisor } = await setUp();
    const start = (parallel?: true) =>
      supervisor.start(threadId, { agent: agentOf(oneCall), content: 'a', ...(parallel && { parallel }) });
    const [first, second] = await Promise.allSettled([start(), start()]);
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'run_under_way', details: { threadId } } });
    const run = first.status === 'fulfilled' ? first.value : expect.fail('not started');
    await expect(start()).rejects.toMatchObject({ code: 'run_under_way', details: { runId: run.runId } });
    const beside = await start(true);
    expect(supervisor.running().map(({ runId }) => runId)).toEqual([run.runId, beside.runId]);
    expect(await Promise.all([run.done, beside.done])).toEqual(['complete', 'complete']);
    expect((await log.read(threadId)).filter(({ type }) => type === 'user')).toHaveLength(2);
    await (await start()).done;
  });

  it('may be started as soon as the end of the one before is read', async () => {
    const { log, threadId, supervisor } = await setUp();
    await supervisor.start(threadId, { agent: agentOf(oneCall), content: 'a' });
    for await (const event of log.tail(threadId)) if (event.type === 'harness_end') break;
    expect(await (await supervisor.start(threadId, { agent: agentOf(oneCall), content: 'b' })).done).toBe('complete');
  });

  it('gets its end when the agent omits it', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: fake('terse', () => []), content: 'a' });
    expect(await run.done).toBe('complete');
    expect((await log.read(threadId)).at(-1)).toMatchObject({
      type: 'harness_end',
      agentId: 'terse',
      reason: 'complete',
    });
  });

  it('logs a warning in development mode when its events are in an illegal order', async () => {
    const { log, threadId, supervisor } = await setUp({ checkOrder: true });
    const hasty = fake('hasty', runId => [{ type: 'tool_result', runId, id: 'c', name: 'x', output: { context: '' } }]);
    await (await supervisor.start(threadId, { agent: hasty, content: 'a' })).done;
    expect((await log.read(threadId)).find(event => event.type === 'warning')).toMatchObject({ code: 'illegal_order' });
  });

  it('with an outdated expectedSeq is rejected, and leaves nothing behind', async () => {
    const { log, threadId, supervisor } = await setUp();
    const agent = agentOf(['Hi.']);
    await log.append(threadId, [{ type: 'user', runId: 'other', content: 'Me first.' }]);
    const starting = supervisor.start(threadId, { agent, content: 'Hello', expectedSeq: 0 });
    await expect(starting).rejects.toMatchObject({ code: 'seq_conflict' });
    expect(types(await log.read(threadId))).toEqual(['user']);
    expect((await log.getThread(threadId))?.open).toBeUndefined();
    const second = new Supervisor({ log });
    const run = await second.start(threadId, { agent, content: 'Hello', expectedSeq: 1 });
    expect([await run.done, run.seq]).toEqual(['complete', (await log.getThread(threadId))?.seq]);
  });

  it('cannot be started on a thread that does not exist', async () => {
    const { supervisor } = await setUp();
    await expect(supervisor.start('nowhere', { agent: agentOf([]), content: '' })).rejects.toMatchObject({
      code: 'thread_not_found',
    });
  });
});

describe('a relay', () => {
  const asking = (script: ModelScript = oneCall) => agentOf(script, { permissions: { default: 'ask', rules: [] } });

  it('is answered through the log; the first answer wins', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: asking(), content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await supervisor.answer(threadId, relay.id, { outcome: 'approve', by: 'ann' });
    await expect(supervisor.answer(threadId, relay.id, { outcome: 'reject' })).rejects.toMatchObject({
      code: 'relay_resolved',
    });
    expect(await run.done).toBe('complete');
    expect((await log.read(threadId)).find(event => event.type === 'tool_result')).toMatchObject({
      output: { context: 'hi' },
    });
  });

  it('is answered by another process that shares the log', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: asking(), content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await new Supervisor({ log }).answer(threadId, relay.id, { outcome: 'reject', feedback: 'not now' });
    await run.done;
    expect((await log.read(threadId)).find(event => event.type === 'tool_result')).toMatchObject({
      output: { status: 'denied', reason: 'A person rejected it: not now' },
    });
  });

  it.each([
    [{ outcome: 'answer', answer: 'x' }, 'invalid_argument'],
    [{ outcome: 'revise' }, 'invalid_argument'],
  ] as const)('rejects the invalid answer %j', async (answer, code) => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: asking(), content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await expect(supervisor.answer(threadId, relay.id, answer)).rejects.toMatchObject({ code });
    await supervisor.abort(run.runId);
  });

  it('approved for the thread is not asked again in a later run of it', async () => {
    const { log, threadId, supervisor } = await setUp();
    const first = await supervisor.start(threadId, { agent: asking(), content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await supervisor.answer(threadId, relay.id, { outcome: 'approve', remember: 'thread' });
    await first.done;
    const second = await supervisor.start(threadId, { agent: asking(), content: 'Say hi again' });
    expect(await second.done).toBe('complete');
    expect(types(await log.read(threadId)).filter(type => type === 'relay')).toHaveLength(1);
  });

  it('that is unknown is not found', async () => {
    const { threadId, supervisor } = await setUp();
    await expect(supervisor.answer(threadId, 'nope', { outcome: 'approve' })).rejects.toMatchObject({
      code: 'relay_not_found',
    });
  });

  it('is cancelled, visibly, when the run is aborted', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: asking(), content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await supervisor.abort(run.runId);
    const events = await log.read(threadId);
    expect(events.slice(-2)).toMatchObject([
      { type: 'relay_resolved', relayId: relay.id, outcome: 'cancelled' },
      { type: 'harness_end', reason: 'aborted' },
    ]);
    expect(checkOrder(events)).toEqual([]);
  });
});

describe('abort', () => {
  it('keeps the partial text, also of an agent that ignores the signal', async () => {
    const { log, threadId, supervisor } = await setUp({ graceMs: 1 });
    const agent = fake('talker', runId => [{ type: 'text', runId, id: 't', content: 'half a sen' }], forever);
    const run = await supervisor.start(threadId, { agent, content: 'go' });
    await waitFor(log, threadId, 'text');
    await supervisor.abort(run.runId, { by: 'ann' });
    expect((await log.read(threadId)).slice(-3)).toMatchObject([
      { type: 'text', content: 'half a sen' },
      { type: 'abort_requested', runId: run.runId, by: 'ann' },
      { type: 'harness_end', reason: 'aborted' },
    ]);
  });
});

describe('branches', () => {
  const said = (
    model: { requests: readonly { messages: readonly { role: string; text: string }[] }[] },
    request: number,
  ) => model.requests[request]?.messages.map(({ role, text }) => `${role}: ${text}`);

  async function conversation() {
    const { log, threadId, supervisor } = await setUp();
    const model = scriptedModel(['One.', 'Two.', 'Three.', 'Four.']);
    const agent = loopAgent({ model });
    const run = await supervisor.start(threadId, { agent, content: 'first' });
    await run.done;
    const [asked] = await log.read(threadId);
    return { log, threadId, supervisor, model, agent, run, asked: `${asked?.runId}:user` };
  }

  it('an edit is a sibling: the model does not see the replaced message', async () => {
    const { threadId, supervisor, model, agent, asked } = await conversation();
    await (await supervisor.start(threadId, { agent, content: 'better', edits: asked })).done;
    expect(said(model, 1)).toEqual(['user: better']);
    await (await supervisor.start(threadId, { agent, content: 'and then' })).done;
    expect(said(model, 2)).toEqual(['user: better', 'assistant: Two.', 'user: and then']);
  });

  it('a retry is requested in the log, as a start is, before it begins', async () => {
    const { log, threadId, supervisor, agent, run, asked } = await conversation();
    const again = await supervisor.retry(threadId, { agent, messageId: run.runId, model: 'other' });
    const requested = (await log.read(threadId)).filter(({ type }) => type === 'run_requested');
    expect(requested).toMatchObject([
      { seq: 2, runId: run.runId, agentId: agent.id, parentId: asked },
      { runId: again.runId, agentId: agent.id, parentId: asked, model: 'other' },
    ]);
    await again.done;
    expect((await log.getThread(threadId))?.open).toBeUndefined();
  });

  it('a run that was requested and not begun is started by whoever recovers it', async () => {
    const { log, threadId } = await setUp();
    const agent = loopAgent({ model: scriptedModel(['Here.']) });
    await log.append(threadId, [
      { type: 'user', runId: 'u', content: 'Anybody?' },
      { type: 'run_requested', runId: 'r', agentId: agent.id, parentId: 'u:user' },
    ]);
    const other = new Supervisor({ log, agents: [{ ...agent, abilities: { resumable: false } }] });
    const [recovered] = await other.recover();
    expect([recovered?.runId, await recovered?.done]).toEqual(['r', 'complete']);
    await other.close();
  });

  it('a retry repeats the request; a selection returns to the earlier answer', async () => {
    const { threadId, supervisor, model, agent, run } = await conversation();
    await (await supervisor.retry(threadId, { agent, messageId: run.runId })).done;
    expect(said(model, 1)).toEqual(['user: first']);
    await supervisor.select(threadId, run.runId);
    await (await supervisor.start(threadId, { agent, content: 'and then' })).done;
    expect(said(model, 2)).toEqual(['user: first', 'assistant: One.', 'user: and then']);
  });

  it('are rejected for an unknown message, and while a run is active', async () => {
    const { threadId, supervisor, agent, asked } = await conversation();
    await expect(supervisor.start(threadId, { agent, content: 'x', edits: 'nope' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(supervisor.select(threadId, 'nope')).rejects.toMatchObject({ code: 'invalid_argument' });
    const busy = await supervisor.start(threadId, { agent: fake('busy', () => [], forever), content: 'go' });
    await expect(supervisor.retry(threadId, { agent, messageId: asked })).rejects.toMatchObject({
      code: 'run_under_way',
    });
    await supervisor.close();
    expect(await busy.done).toBe('interrupted');
  });
});

describe('resuming', () => {
  const asking = agentOf(oneCall, { permissions: { default: 'ask', rules: [] } });

  it('detaches runs on close, and another supervisor recovers them, including the pending relay', async () => {
    const { log, threadId, supervisor } = await setUp();
    await supervisor.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await supervisor.close();
    expect((await log.read(threadId)).at(-1)?.type).toBe('relay');
    const next = new Supervisor({ log, agents: [asking] });
    const [run] = await next.recover();
    await next.answer(threadId, relay.id, { outcome: 'approve' });
    expect(await run?.done).toBe('complete');
    const events = await log.read(threadId);
    expect(types(events).filter(type => type === 'relay' || type === 'harness_start')).toHaveLength(2);
    expect(checkOrder(events)).toEqual([]);
  });

  it('uses an answer that was given while no process ran', async () => {
    const { log, threadId, supervisor } = await setUp();
    const { runId } = await supervisor.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    await supervisor.close();
    await new Supervisor({ log }).answer(threadId, relay.id, { outcome: 'approve' });
    const run = await continueRun(asking, log, { threadId, runId });
    expect(await run.done).toBe('complete');
    await expect(continueRun(asking, log, { threadId, runId })).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('ends as interrupted what cannot be resumed', async () => {
    const { log, threadId, supervisor } = await setUp();
    await supervisor.start(threadId, { agent: fake('cli', () => [], forever), content: 'go' });
    await waitFor(log, threadId, 'harness_start');
    await supervisor.close();
    expect(await new Supervisor({ log }).recover()).toEqual([]);
    expect((await log.read(threadId)).slice(-2)).toMatchObject([
      { type: 'warning' },
      { type: 'harness_end', reason: 'interrupted' },
    ]);
    expect((await log.getThread(threadId))?.open).toBeUndefined();
  });

  it('takes over at once from a dead process whose lease has not expired', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const { log, threadId, supervisor } = await setUp({ owner: `${hostname()}/${pid}/x` });
    const run = await supervisor.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    const next = new Supervisor({ log, agents: [asking] });
    const [taken] = await next.recover();
    await next.answer(threadId, relay.id, { outcome: 'approve' });
    expect([await taken?.done, await run.done]).toEqual(['complete', 'interrupted']);
  });

  it('does not affect runs of this process', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: asking, content: 'Say hi' });
    await waitFor(log, threadId, 'relay');
    expect(await supervisor.continue(threadId, run.runId)).toBe(run);
    await supervisor.abort(run.runId);
  });

  it('does not affect runs of another process', async () => {
    const { log, threadId, supervisor } = await setUp();
    const run = await supervisor.start(threadId, { agent: asking, content: 'Say hi' });
    await waitFor(log, threadId, 'relay');
    const other = new Supervisor({ log, agents: [asking] });
    expect(await other.recover()).toEqual([]);
    await expect(other.start(threadId, { agent: asking, content: 'me too' })).rejects.toMatchObject({
      code: 'lease_held',
    });
    await supervisor.abort(run.runId);
  });

  it('detaches a thread that another process took over: nothing is written twice', async () => {
    let now = 0;
    const log = new MemoryLog({ now: () => now });
    const { threadId, supervisor } = await setUp({ log, leaseMs: 1000 });
    const run = await supervisor.start(threadId, { agent: asking, content: 'Say hi' });
    const relay = await waitFor(log, threadId, 'relay');
    now = 5000;
    const next = new Supervisor({ log, agents: [asking] });
    const [taken] = await next.recover();
    await next.answer(threadId, relay.id, { outcome: 'approve' });
    expect([await run.done, await taken?.done]).toEqual(['interrupted', 'complete']);
    const events = await log.read(threadId);
    expect(types(events).filter(type => type === 'tool_result' || type === 'harness_end')).toHaveLength(2);
  });
});

describe('parallel runs', () => {
  it('are each complete', async () => {
    const { log, supervisor } = await setUp();
    const agent = agentOf(oneCall);
    const threads = await Promise.all(Array.from({ length: 50 }, () => log.createThread()));
    const runs = await Promise.all(threads.map(({ id }) => supervisor.start(id, { agent, content: 'go' })));
    expect(new Set(await Promise.all(runs.map(run => run.done)))).toEqual(new Set(['complete']));
    for (const { id } of threads) expect(checkOrder(await log.read(id))).toEqual([]);
  });
});

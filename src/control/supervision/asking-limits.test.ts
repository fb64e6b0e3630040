import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Agent } from '../../agents/contract/agent.ts';
import { agentTool } from '../../agents/subagents/agent-tool.ts';
import { defineTool } from '../../agents/loop/tool.ts';
import type { Limits } from '../../agents/limits/limits.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { rlmAgent } from '../../agents/rlm/rlm-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import type { EventOf, EventType, LoggedEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from './supervisor.ts';

const usage = { inputTokens: 60, outputTokens: 40 };
const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input }, usage });
const allow = { default: 'allow' as const, rules: [] };
const echo = defineTool({ name: 'echo', description: 'says it', input: z.object({}), execute: () => 'hi' });
const done = { text: 'Done.', usage };

/** A loop of several model calls, at 100 tokens each. */
const loop = (count: number, options: Partial<Parameters<typeof loopAgent>[0]> = {}) =>
  loopAgent({
    model: scriptedModel(scriptByStep([...Array.from({ length: count - 1 }, () => call('echo')), done])),
    tools: [echo],
    permissions: allow,
    ...options,
  });

/** A loop that starts two subagents at once. */
const parent = (worker: Agent) =>
  loopAgent({
    model: scriptedModel(
      scriptByStep([
        { parts: [1, 2].map(id => call('agent', { agent: worker.id, task: `Work ${id}.` })), usage },
        done,
      ]),
    ),
    tools: [agentTool({ agents: [{ agent: worker, description: 'works' }] })],
    permissions: allow,
  });

async function scene(limits?: Limits, log = new MemoryLog(), agents: readonly Agent[] = []) {
  const supervisor = new Supervisor({ log, agents, ...(limits && { limits }) });
  const { id: threadId } = await log.createThread();
  const start = (agent: Agent, thread = threadId) => supervisor.start(thread, { agent, content: 'Go.' });
  const read = (thread = threadId) => log.read(thread, { limit: 10_000 });
  /** Runs an agent and answers its relays as they come; returns them when it has ended. */
  const answering = async (agent: Agent, outcomes: readonly ('approve' | 'reject')[], thread = threadId) => {
    const { seq = 0 } = (await log.getThread(thread)) ?? {};
    const run = await start(agent, thread);
    const relays: Extract<EventOf<'relay'>, { relayKind: 'suspension' }>[] = [];
    const ended = new AbortController();
    void run.done.then(() => ended.abort());
    try {
      for await (const event of log.tail(thread, seq, { signal: ended.signal, types: ['relay'] })) {
        if (event.type !== 'relay' || event.relayKind !== 'suspension') continue;
        relays.push(event);
        const outcome = outcomes[relays.length - 1];
        if (outcome !== undefined) await supervisor.answer(thread, event.id, { outcome });
      }
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    }
    return { runId: run.runId, relays, outcome: await run.done };
  };
  return { log, supervisor, threadId, start, read, answering };
}
const ofType = <Type extends EventType>(events: readonly LoggedEvent[], type: Type) =>
  events.filter(event => event.type === type) as unknown as EventOf<Type>[];
/** Resolves with the first relay of a thread from a number on. */
async function relayIn(log: MemoryLog, threadId: string, count = 1): Promise<EventOf<'relay'>> {
  for await (const event of log.tail(threadId)) if (event.type === 'relay' && --count === 0) return event;
  throw new Error('unreachable');
}

describe('a limit that asks', () => {
  it.each([
    ['of the supervisor', { run: { tokens: 200, then: 'ask' } }, undefined],
    ['of the agent', undefined, { run: { tokens: 200, then: 'ask' } }],
  ] as const)('%s pauses the run, and an approval allows the next step of the same size', async (_, limits, own) => {
    const { read, answering } = await scene(limits);
    const agent = loop(5, own && { limits: own });
    const { relays, outcome, runId } = await answering(agent, ['approve', 'approve']);
    expect(outcome).toBe('complete');
    expect(relays).toMatchObject([
      {
        relayKind: 'suspension',
        runId,
        tool: 'spending limit',
        answers: ['approve', 'reject'],
        params: { scope: 'run', measure: 'tokens', limit: 200, spent: 200, upTo: 400 },
        payload: {
          message:
            'The limit of 200 tokens per run is reached: 200 tokens were spent. Approve to continue up to 400 tokens, or reject to end the run.',
        },
      },
      { params: { spent: 400, upTo: 600 } },
    ]);
    expect(relays[0]).not.toHaveProperty('toolCallId');
    expect(ofType(await read(), 'usage')).toHaveLength(5);
  });

  it('counts cost, and a call that passed several steps asks for the one after them', async () => {
    const model = scriptedModel(scriptByStep([call('echo'), done]), {
      provider: 'anthropic',
      modelId: 'claude-sonnet-4-5',
    });
    const { answering } = await scene({ run: { cost: 0.0001, then: 'ask' } });
    const { relays, outcome } = await answering(loop(2, { model }), ['approve']);
    expect(outcome).toBe('complete');
    expect(relays[0]).toMatchObject({ params: { measure: 'cost', limit: 0.0001 } });
    const [spent, upTo] = ['spent', 'upTo'].map(name => Number(relays[0]?.params?.[name]));
    expect(upTo).toBeGreaterThan(spent ?? 0);
    expect(upTo).toBeLessThanOrEqual((spent ?? 0) + 0.0001 + 1e-12);
  });

  it('ends the run when it is rejected, as a limit that does not ask', async () => {
    const { read, answering } = await scene({ run: { tokens: 200, then: 'ask' } });
    const { relays, outcome } = await answering(loop(5), ['reject']);
    expect([relays.length, outcome]).toEqual([1, 'limit_reached']);
    const events = await read();
    expect(ofType(events, 'usage')).toHaveLength(2);
    expect(ofType(events, 'error')).toMatchObject([
      { code: 'limit_reached', message: expect.stringContaining('Raise `limits.run.tokens`') },
    ]);
  });

  it('ends the run when nobody can answer', async () => {
    const events = [];
    const agent = loop(5, { limits: { run: { tokens: 200, then: 'ask' } } });
    for await (const event of agent.invoke({ conversation: { messages: [{ role: 'user', content: 'Go.' }] } }))
      events.push(event);
    expect(events.some(({ type }) => type === 'relay')).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'limit_reached' });
  });

  it('ends a run of an agent that asks nobody, before it begins and while it runs', async () => {
    const { start, read } = await scene({ run: { tokens: 200, then: 'ask' }, thread: { tokens: 200, then: 'ask' } });
    const agent = { ...loop(5), abilities: { resumable: true, asksNobody: true } };
    for (const _ of [1, 2]) expect(await (await start(agent)).done).toBe('limit_reached');
    expect(ofType(await read(), 'relay')).toEqual([]);
  });

  it('closes the question of a run that is aborted', async () => {
    const { log, supervisor, start, read, threadId } = await scene({ run: { tokens: 200, then: 'ask' } });
    const run = await start(loop(5));
    await relayIn(log, threadId);
    await supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    expect(ofType(await read(), 'relay_resolved')).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('asks once for all subagents, whose calls count; a rejection ends them and the run', async () => {
    const limits: Limits = { run: { tokens: 300, then: 'ask' } };
    const approved = await scene(limits);
    const first = await approved.answering(parent(loop(2, { id: 'worker' })), ['approve', 'approve']);
    expect(first.outcome).toBe('complete');
    expect(first.relays.map(({ params }) => params?.['upTo'])).toEqual([600]);
    const rejected = await scene(limits);
    const second = await rejected.answering(parent(loop(2, { id: 'worker' })), ['reject']);
    expect([second.relays.length, second.outcome]).toEqual([1, 'limit_reached']);
    expect(ofType(await rejected.read(), 'usage')).toHaveLength(3);
  });

  it('is asked about by the next run when the one that asked is gone', async () => {
    const { log, supervisor, start, read, threadId } = await scene({ thread: { tokens: 100, then: 'ask' } });
    await (await start(loop(1))).done;
    const first = await start(loop(1));
    await relayIn(log, threadId);
    await supervisor.abort(first.runId);
    const second = await start(loop(1));
    const { id, runId } = await relayIn(log, threadId, 2);
    expect(runId).toBe(second.runId);
    await supervisor.answer(threadId, id, { outcome: 'approve' });
    expect(await second.done).toBe('complete');
    expect(ofType(await read(), 'relay')).toHaveLength(2);
  });

  it('waits for the query of a recursive language model', async () => {
    const code = '```js\nconst a = await llm_query("x"); const b = await llm_query("y"); FINAL(a + b);\n```';
    const model = scriptedModel(({ messages }) =>
      messages.some(({ role }) => role === 'system') ? { text: code, usage } : { text: 'z', usage },
    );
    const { answering } = await scene({ run: { tokens: 200, then: 'ask' } });
    const { relays, outcome } = await answering(rlmAgent({ model }), ['approve']);
    expect([relays.length, outcome]).toEqual([1, 'complete']);
  });

  it('asks before a summary of the conversation is made', async () => {
    const { start, read, answering } = await scene({ thread: { tokens: 100, then: 'ask' } });
    await (await start(loop(1))).done;
    const agent = loop(1, { model: scriptedModel(() => done), compaction: { threshold: 2, keep: 1 } });
    const { relays } = await answering(agent, ['approve', 'approve', 'approve']);
    expect(relays.map(({ params }) => params?.['upTo'])).toEqual([200, 300]);
    expect(ofType(await read(), 'summary')).toHaveLength(1);
  });
});

describe('a limit of a thread that asks', () => {
  it('keeps what was allowed for later runs, whatever their agent is', async () => {
    const { start, answering, read } = await scene({ thread: { tokens: 200, then: 'ask' } });
    await (await start(loop(2))).done;
    const external: Agent = {
      id: 'external',
      abilities: { isExternal: true },
      async *invoke({ run: { runId } }) {
        yield { type: 'harness_start', runId, agentId: 'external' };
        yield { type: 'usage', runId, ...usage };
        yield { type: 'harness_end', runId, agentId: 'external', reason: 'complete' };
      },
    };
    const { relays, outcome } = await answering(external, ['approve']);
    expect(outcome).toBe('complete');
    expect(relays).toMatchObject([{ params: { scope: 'thread', spent: 200, upTo: 400 } }]);
    expect(await (await start(external)).done).toBe('complete');
    const rejected = await answering(external, ['reject']);
    expect([rejected.relays.length, rejected.outcome]).toEqual([1, 'limit_reached']);
    expect(ofType(await read(), 'usage')).toHaveLength(4);
  });

  it('allows nothing in a branch of the thread', async () => {
    const { log, answering, threadId } = await scene({ thread: { tokens: 200, then: 'ask' } });
    await answering(loop(3), ['approve']);
    const { id } = await log.branch(threadId, (await log.getThread(threadId))?.seq ?? 0);
    const { relays } = await answering(loop(3), ['approve', 'approve'], id);
    expect(relays.map(({ params }) => params?.['upTo'])).toEqual([400]);
  });
});

it('a limit of a day is allowed in one thread for all', async () => {
  const { log, start, answering } = await scene({ day: { tokens: 200, then: 'ask' } });
  const { relays } = await answering(loop(3), ['approve']);
  expect(relays).toMatchObject([{ params: { scope: 'day', upTo: 400 } }]);
  const { id } = await log.createThread();
  expect(await (await start(loop(1), id)).done).toBe('complete');
  expect(ofType(await log.read(id), 'relay')).toEqual([]);
});

describe('a run that another process resumes', () => {
  it.each([
    ['a run', (limits: Limits) => ({ agent: loop(4), limits })],
    ['the subagents of a run', (limits: Limits) => ({ agent: parent(loop(2, { id: 'worker' })), limits })],
    ['a run with its own limits', (limits: Limits) => ({ agent: loop(4, { limits }), limits: undefined })],
  ])('finds the open question of %s, and continues once it is approved', async (_, make) => {
    const { agent, limits } = make({ run: { tokens: 300, then: 'ask' } });
    const first = await scene(limits);
    const { runId } = await first.start(agent);
    await relayIn(first.log, first.threadId);
    await first.supervisor.close();
    const next = new Supervisor({ log: first.log, agents: [agent], ...(limits && { limits }) });
    const resumed = await next.continue(first.threadId, runId);
    const { id } = await relayIn(first.log, first.threadId);
    await next.answer(first.threadId, id, { outcome: 'approve' });
    expect(await resumed.done).toBe('complete');
    const events = await first.read();
    expect(ofType(events, 'relay')).toHaveLength(1);
    expect(new Set(ofType(events, 'tool_result').map(({ id: callId }) => callId)).size).toBe(
      ofType(events, 'tool_result').length,
    );
    await next.close();
  });

  it('finds the answer that was given while nobody ran it', async () => {
    const limits: Limits = { run: { tokens: 200, then: 'ask' } };
    const agent = loop(4);
    const first = await scene(limits);
    const { runId } = await first.start(agent);
    const { id } = await relayIn(first.log, first.threadId);
    await first.supervisor.close();
    const next = new Supervisor({ log: first.log, agents: [agent], limits });
    await next.answer(first.threadId, id, { outcome: 'approve' });
    expect(await (await next.continue(first.threadId, runId)).done).toBe('complete');
    expect(ofType(await first.read(), 'relay')).toHaveLength(1);
    await next.close();
  });
});

it('refuses a way to ask that is none', () => {
  const limited = (limit: object) => () => new Supervisor({ log: new MemoryLog(), limits: { run: limit } });
  expect(limited({ cost: 1, then: 'wait' })).toThrow('"end" or "ask"');
  expect(limited({ cost: 0, then: 'ask' })).toThrow('above 0');
  expect(limited({ cost: 0, then: 'end' })).not.toThrow();
});

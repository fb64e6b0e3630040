import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Agent } from '../../agents/contract/agent.ts';
import { agentTool } from '../../agents/subagents/agent-tool.ts';
import { defineTool } from '../../agents/loop/tool.ts';
import type { Limits } from '../../agents/limits/limits.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { modelAgent } from '../../agents/model/call/model-agent.ts';
import { rlmAgent } from '../../agents/rlm/rlm-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import type { EventOf, EventType, LoggedEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { memoryScene } from '../../../test/support/memory-scene.ts';
import { Supervisor } from './supervisor.ts';

const echo = defineTool({ name: 'echo', description: 'says it', input: z.object({}), execute: () => 'hi' });
const usage = { inputTokens: 60, outputTokens: 40 };
const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input }, usage });
const allow = { default: 'allow' as const, rules: [] };

/** A loop whose model calls a tool without end, at 100 tokens a call. */
const endless = (options: Partial<Parameters<typeof loopAgent>[0]> = {}) =>
  loopAgent({ model: scriptedModel(() => call('echo')), tools: [echo], permissions: allow, ...options });
/** A loop that answers at once, for 100 tokens. */
const brief = () => loopAgent({ model: scriptedModel(() => ({ text: 'Hi.', usage })) });

async function setUp(limits?: Limits, more: Partial<ConstructorParameters<typeof Supervisor>[0]> = {}) {
  const log = more.log ?? new MemoryLog();
  const supervisor = new Supervisor({ ...more, log, ...(limits && { limits }) });
  const run = async (agent: Agent, threadId?: string) => {
    const thread = threadId ?? (await log.createThread()).id;
    const { runId, done } = await supervisor.start(thread, { agent, content: 'Go.' });
    const outcome = await done;
    const events = await log.read(thread, { limit: 10_000 });
    return { thread, runId, outcome, events: events.filter(event => event.runId === runId), all: events };
  };
  return { log, run };
}
const ofType = <Type extends EventType>(events: readonly LoggedEvent[], type: Type) =>
  events.filter(event => event.type === type) as unknown as EventOf<Type>[];

describe('a limit of tokens per run', () => {
  it.each([
    ['of the supervisor', { run: { tokens: 250 } }, undefined],
    ['of the agent', undefined, { run: { tokens: 250 } }],
  ])('%s ends the run before its next model call', async (_, limits, own) => {
    const { run } = await setUp(limits);
    const { outcome, events } = await run(endless(own && { limits: own }));
    expect(outcome).toBe('limit_reached');
    expect(ofType(events, 'step_start')).toHaveLength(3);
    expect(events.slice(-2)).toMatchObject([
      {
        type: 'error',
        code: 'limit_reached',
        fatal: true,
        message:
          'The limit of 250 tokens per run is reached: 300 tokens were spent. Raise `limits.run.tokens` to continue.',
      },
      { type: 'harness_end', reason: 'limit_reached' },
    ]);
  });

  it('counts subagents, and stops them', async () => {
    const { run } = await setUp({ run: { tokens: 350 } });
    const model = scriptedModel(scriptByStep([call('agent', { agent: 'worker', task: 'Work.' }), 'Done.']));
    const tools = [agentTool({ agents: [{ agent: endless({ id: 'worker' }), description: 'works' }] })];
    const { outcome, all } = await run(loopAgent({ model, tools, permissions: allow }));
    expect(outcome).toBe('limit_reached');
    expect(ofType(all, 'usage')).toHaveLength(4);
    expect(ofType(all, 'harness_end').map(({ agentId, reason }) => [agentId, reason])).toEqual([
      ['worker', 'limit_reached'],
      ['loop', 'limit_reached'],
    ]);
  });

  it('stops a recursive language model and its queries', async () => {
    const { run } = await setUp({ run: { tokens: 150 } });
    const code = '```js\nconst a = await llm_query("x"); const b = await llm_query("y"); FINAL(a + b);\n```';
    const model = scriptedModel(({ messages }) =>
      messages.some(({ role }) => role === 'system') ? { text: code, usage } : { text: 'z', usage },
    );
    const { outcome, all } = await run(rlmAgent({ model }));
    expect(outcome).toBe('limit_reached');
    expect(ofType(all, 'usage')).toHaveLength(2);
  });
});

describe('a limit of cost', () => {
  it('counts what calls cost', async () => {
    const { run } = await setUp({ run: { cost: 0.001 } });
    const model = scriptedModel(() => call('echo'), { provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    const { outcome, events } = await run(endless({ model }));
    expect(outcome).toBe('limit_reached');
    expect(ofType(events, 'error')[0]?.message).toContain('The limit of $0.001 per run is reached');
  });
});

describe('a limit per thread', () => {
  it('counts earlier runs, and refuses the next one whatever its agent is', async () => {
    const { run, log } = await setUp({ thread: { tokens: 200 } });
    const { thread } = await run(brief());
    expect((await run(brief(), thread)).outcome).toBe('complete');
    const { outcome, events } = await run(modelAgent(scriptedModel(['Never.'])), thread);
    expect([outcome, events.map(({ type }) => type)]).toEqual([
      'limit_reached',
      ['run_requested', 'harness_start', 'error', 'harness_end'],
    ]);
    expect((await run(brief())).outcome).toBe('complete');
    const child = await log.branch(thread, (await log.getThread(thread))?.seq ?? 0);
    expect((await run(brief(), child.id)).outcome).toBe('complete');
  });

  it('of an agent counts what the log of the supervisor has', async () => {
    const { run } = await setUp();
    const { thread } = await run(brief());
    const { outcome, events } = await run(endless({ limits: { thread: { tokens: 300 } } }), thread);
    expect([outcome, ofType(events, 'usage').length]).toEqual(['limit_reached', 2]);
  });
});

describe('a limit per day', () => {
  it('counts all threads, until the next day', async () => {
    const clock = new ManualClock();
    clock.advance(Date.parse('2026-01-01T10:00:00Z'));
    const { run } = await setUp({ day: { tokens: 150 } }, { clock, log: new MemoryLog({ now: () => clock.now() }) });
    expect((await run(brief())).outcome).toBe('complete');
    expect((await run(brief())).outcome).toBe('complete');
    const { outcome, events } = await run(brief());
    expect(outcome).toBe('limit_reached');
    expect(ofType(events, 'error')[0]?.message).toContain('per day is reached: 200 tokens');
    clock.advance(24 * 60 * 60 * 1000);
    expect((await run(brief())).outcome).toBe('complete');
  });
});

it('applies to the observer of a run', async () => {
  const { run, log } = await setUp();
  const { agent, observed } = memoryScene({
    answer: () => `topic-1 ${'word '.repeat(900)}`,
    agent: { limits: { run: { tokens: 100 } } },
  });
  const { thread, outcome } = await run(agent);
  expect(outcome).toBe('complete');
  for await (const event of log.tail(thread)) if (event.type === 'harness_end' && event.agentId === 'observer') break;
  const events = await log.read(thread, { limit: 10_000 });
  const ends = ofType(events, 'harness_end').toSorted((a, b) => a.agentId.localeCompare(b.agentId));
  expect(ends).toMatchObject([{ agentId: 'loop' }, { agentId: 'observer', reason: 'limit_reached' }]);
  expect(ofType(events, 'error')).toMatchObject([{ code: 'limit_reached' }]);
  expect(observed).toEqual([]);
});

it('refuses a limit that is none', () => {
  expect(() => new Supervisor({ log: new MemoryLog(), limits: { run: { token: 5 } } as Limits })).toThrow('tokens');
  expect(() => endless({ limits: { day: { cost: -1 } } })).toThrow('0 or more');
});

it('does not count what an import adds while totals are read', async () => {
  const { log, run } = await setUp({ day: { tokens: 250 } });
  const { id } = await log.createThread({ imported: true });
  const add = () => log.append(id, [{ type: 'usage', runId: 'r', ...usage }], { imported: true });
  await add();
  expect((await run(brief())).outcome).toBe('complete');
  for (let more = 0; more < 5; more++) await add();
  expect((await run(brief())).outcome).toBe('complete');
  expect((await run(brief(), id)).outcome).toBe('complete');
  expect((await run(brief())).outcome).toBe('limit_reached');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  eventsOf,
  memoryScene,
  newMemoryThread,
  observersEnded,
  runsOf,
  say,
  smallLimits,
} from '../../../test/support/memory-scene.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { checkOrder } from '../../events/order.ts';
import { SqliteLog } from '../../log/sqlite/sqlite-log.ts';
import { totals } from '../../projections/totals.ts';
import { foldAll } from '../../projections/fold.ts';

function gate() {
  let open: () => void = () => {};
  const isOpen = new Promise<void>(resolve => (open = resolve));
  return { open, isOpen };
}

describe('the run of an observer', () => {
  it.each([
    ['fails', { httpStatus: 400, message: 'no' }],
    ['returns nothing', ''],
    ['returns nonsense', 'I like turtles.'],
    ['returns more than it was given', `<observations>${'more and more '.repeat(800)}</observations>`],
  ])('is an event, and the served runs complete, when it %s', async (_, answer) => {
    const thread = await newMemoryThread();
    const { agent, requests } = memoryScene({ observer: () => answer });
    for (let turn = 1; turn <= 14; turn++) {
      expect(await say(thread, agent, `Tell me of topic-${turn}.`)).toBe('complete');
      await observersEnded(thread);
    }
    const events = await thread.log.read(thread.threadId);
    expect(eventsOf(events, 'summary')).toEqual([]);
    const failed = runsOf(events, 'observer');
    expect(failed.length).toBeGreaterThan(1);
    for (const run of failed) expect(run.map(({ type }) => type).slice(-2)).toEqual(['error', 'harness_end']);
    expect(requests.at(-1)?.messages.length).toBe(28);
    expect(checkOrder(events)).toEqual([]);
  });

  it('ends after its time limit, while the served run continues', async () => {
    const thread = await newMemoryThread();
    const { agent } = memoryScene({ gate: () => new Promise(() => {}), memory: { ...smallLimits, timeoutMs: 30 } });
    for (let turn = 1; turn <= 10; turn++)
      expect(await say(thread, agent, `Tell me of topic-${turn}.`)).toBe('complete');
    await observersEnded(thread);
    const [first] = runsOf(await thread.log.read(thread.threadId), 'observer');
    expect(first?.at(-1)).toMatchObject({ type: 'harness_end', reason: 'timeout' });
  });

  it('continues when the run that it serves is aborted', async () => {
    const thread = await newMemoryThread();
    const { open, isOpen } = gate();
    const { agent } = memoryScene({
      gate: () => isOpen,
      answer: () => [{ toolCall: { name: 'page', input: { number: 3 } } }],
      agent: { maxIterations: 1_000 },
    });
    const run = await thread.supervisor.start(thread.threadId, { agent, content: 'Read all pages.' });
    for await (const event of thread.log.tail(thread.threadId))
      if (event.type === 'harness_start' && event.memory !== undefined) break;
    await thread.supervisor.abort(run.runId);
    open();
    await observersEnded(thread);
    const events = await thread.log.read(thread.threadId);
    expect(eventsOf(events, 'harness_end')).toMatchObject([
      { agentId: 'loop', reason: 'aborted' },
      { agentId: 'observer', reason: 'complete' },
    ]);
    expect(eventsOf(events, 'summary')).toMatchObject([{ active: false }]);
    expect(eventsOf(events, 'harness_start')[1]).toMatchObject({ parentId: run.runId });
  });

  it('is aborted when its supervisor closes', async () => {
    const thread = await newMemoryThread();
    const { agent } = memoryScene({ gate: () => new Promise(() => {}) });
    for (let turn = 1; turn <= 3; turn++) await say(thread, agent, `Tell me of topic-${turn}.`);
    await thread.supervisor.close();
    const [run] = runsOf(await thread.log.read(thread.threadId), 'observer');
    expect(run?.at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
  });

  it('aborts its model request when its thread is deleted, by this process or another one', async () => {
    for (const by of ['this process', 'another process']) {
      const folder = await mkdtemp(join(tmpdir(), 'singletree-'));
      const [log, other] = await Promise.all([1, 2].map(() => SqliteLog.open(join(folder, 'log.db'))));
      if (log === undefined || other === undefined) throw new Error('no log');
      const { id: threadId } = await log.createThread();
      const supervisor = new Supervisor({ log, leaseMs: 150 });
      const { open, isOpen } = gate();
      let signal: AbortSignal | undefined;
      const { agent } = memoryScene({
        gate: given => {
          signal = given;
          open();
          return new Promise(() => {});
        },
      });
      for (let turn = 1; turn <= 3; turn++)
        await say({ log, threadId, supervisor }, agent, `Tell me of topic-${turn}.`);
      await isOpen;
      expect(signal?.aborted).toBe(false);
      const aborted = new Promise(resolve => signal?.addEventListener('abort', resolve));
      await (by === 'this process' ? log : other).deleteThread(threadId);
      await aborted;
      await supervisor.close();
      await log.close();
      await other.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is replaced by another one when its process ends', async () => {
    const thread = await newMemoryThread();
    const stuck = memoryScene({ gate: () => new Promise(() => {}) });
    for (let turn = 1; turn <= 4; turn++) await say(thread, stuck.agent, `Tell me of topic-${turn}.`);
    expect(runsOf(await thread.log.read(thread.threadId), 'observer')).toHaveLength(1);
    // The owner is a process that no longer exists.
    const lease = await thread.log.acquireLease(`memory:${thread.threadId}`, {
      owner: 'gone',
      ttlMs: 1_000,
      isGone: () => true,
    });
    await thread.log.releaseLease(lease);
    const next = { ...thread, supervisor: new Supervisor({ log: thread.log }) };
    const { agent, prompts } = memoryScene();
    for (let turn = 5; turn <= 10; turn++) {
      await say(next, agent, `Tell me of topic-${turn}.`);
      await observersEnded(next);
    }
    const events = await thread.log.read(thread.threadId);
    expect(runsOf(events, 'observer')[0]?.at(-1)).toMatchObject({ type: 'harness_end', reason: 'interrupted' });
    expect(JSON.stringify(prompts.at(-1))).toContain('User spoke of topic-1');
    expect(checkOrder(events)).toEqual([]);
  });

  it('observes once when two processes use a thread', async () => {
    const thread = await newMemoryThread();
    const { open, isOpen } = gate();
    const one = memoryScene({ gate: () => isOpen });
    for (let turn = 1; turn <= 3; turn++) await say(thread, one.agent, `Tell me of topic-${turn}.`);
    const other = { ...thread, supervisor: new Supervisor({ log: thread.log, leaseMs: 150 }) };
    const two = memoryScene();
    await say(other, two.agent, 'Tell me of topic-4.');
    open();
    await observersEnded(thread);
    for (let turn = 5; turn <= 30; turn++) {
      await say(other, two.agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const spans = eventsOf(await thread.log.read(thread.threadId), 'summary')
      .filter(({ active }) => active === false)
      .map(({ covers }) => covers.from);
    expect(new Set(spans).size).toBe(spans.length);
    expect(spans.length).toBeGreaterThan(1);
    await thread.supervisor.close();
    await other.supervisor.close();
  });

  it('is counted apart', async () => {
    const thread = await newMemoryThread();
    const { agent } = memoryScene();
    for (let turn = 1; turn <= 5; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const view = foldAll(totals, await thread.log.read(thread.threadId));
    expect(view.agents.map(({ agentId }) => agentId)).toEqual(['loop', 'observer']);
  });

  it('receives a huge message in pieces, whole', async () => {
    const thread = await newMemoryThread();
    const words = Array.from({ length: 1_500 }, (_, index) => `word${index}`).join(' ');
    const { agent, observed, prompts } = memoryScene();
    expect(await say(thread, agent, `topic-1 ${words}`)).toBe('complete');
    expect(observed.length).toBeGreaterThan(5);
    const seen = observed
      .map(({ lastUserText }) => /Messages to observe:\n([\s\S]*)\n\nThe time is/.exec(lastUserText)?.[1])
      .join('');
    expect(seen.endsWith(words)).toBe(true);
    expect(JSON.stringify(prompts[0])).not.toContain('word700');
    expect(JSON.stringify(prompts[0])).toContain('User spoke of topic-1');
  });
});

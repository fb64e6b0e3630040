import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { conversationLog, unlogged } from '../../../test/support/random-conversations.ts';
import type { Clock } from '../../agents/clock.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { getMessages } from '../../graph/conversation/queries.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { ThreadState, ThreadMemory } from './thread-memory.ts';
import { getRunInput } from '../supervision/run-input.ts';

const said = (runId: string): AgentEvent => ({ type: 'user', runId, content: `from ${runId}` });

/** A log that counts the events it reads out. */
class CountingLog extends MemoryLog {
  count = 0;

  override async read(...args: Parameters<MemoryLog['read']>) {
    const events = await super.read(...args);
    this.count += events.length;
    return events;
  }
}

async function setUp(maxBytes?: number, clock?: Clock) {
  const log = new CountingLog();
  const { id: threadId } = await log.createThread();
  const memory = new ThreadMemory(log, maxBytes, clock);
  const messagesOf = async (id: string) => getMessages((await memory.of(id)).conversation).map(({ runId }) => runId);
  return { log, threadId, memory, messagesOf };
}

describe('the memory of threads', () => {
  it('reads only what came since', async () => {
    const { log, threadId, messagesOf } = await setUp();
    await log.append(threadId, [said('a'), said('b')]);
    expect(await messagesOf(threadId)).toEqual(['a', 'b']);
    await log.append(threadId, [said('c')]);
    expect(await messagesOf(threadId)).toEqual(['a', 'b', 'c']);
    expect(log.count).toBe(3);
  });

  it('reads each event of a long thread once, a page at a time, and nothing for what follows', async () => {
    const { log, threadId, memory } = await setUp();
    const turns = Array.from({ length: 2_000 }, (_, at) => [said(`asked ${at}`), said(`answered ${at}`)]).flat();
    await log.append(threadId, turns);
    const take = vi.spyOn(ThreadState.prototype, 'take');
    let mostInTurn = 0;
    let timer = setImmediate(function count() {
      mostInTurn = Math.max(mostInTurn, take.mock.calls.length);
      take.mockClear();
      timer = setImmediate(count);
    });
    await memory.of(threadId);
    clearImmediate(timer);
    mostInTurn = Math.max(mostInTurn, take.mock.calls.length);
    take.mockRestore();
    expect(log.count).toBe(turns.length);
    expect(mostInTurn).toBeLessThanOrEqual(1_000);
    await log.append(threadId, [said('next')]);
    await memory.of(threadId);
    expect(log.count).toBe(turns.length + 1);
  });

  it('takes each event once, also when it is asked twice at once', async () => {
    const { log, threadId, messagesOf } = await setUp();
    await log.append(threadId, [said('a')]);
    expect(await Promise.all([messagesOf(threadId), messagesOf(threadId)])).toEqual([['a'], ['a']]);
    expect(log.count).toBe(1);
  });

  it('forgets a thread that was deleted, whatever takes its place', async () => {
    const { log, threadId, messagesOf } = await setUp();
    await log.append(threadId, [said('a')]);
    expect(await messagesOf(threadId)).toEqual(['a']);
    await log.deleteThread(threadId);
    expect(await messagesOf(threadId)).toEqual([]);
  });

  it('of a thread that somebody holds need not be read up to what was just stored, while its events are brought', async () => {
    const { log, threadId, memory } = await setUp();
    const threadState = new ThreadState();
    memory.hold({ id: threadId, createdAt: (await log.getThread(threadId))?.createdAt ?? '' }, threadState);
    const end = threadState.bring();
    const store = async (runId: string) => (await log.append(threadId, [said(runId)])).lastSeq;
    const first = memory.of(threadId, await store('a'));
    for (const event of await log.read(threadId)) threadState.take(event);
    expect((await first).seq).toBe(1);
    expect(log.count).toBe(1);
    const second = memory.of(threadId, await store('b'));
    await Promise.resolve();
    end();
    expect((await second).seq).toBe(2);
    expect(log.count).toBe(2);
    expect((await memory.of(threadId, await store('c'))).seq).toBe(3);
    expect(log.count).toBe(3);
  });

  it('gives a run what it would be given by a process that reads the thread for the first time', async () => {
    /** An external program that answers reports its session. */
    const withSessions = (events: readonly AgentEvent[]) =>
      events.flatMap((event): AgentEvent[] =>
        event.type === 'harness_start'
          ? [event, { type: 'session', runId: event.runId, sessionId: `session-${event.runId.length % 3}` }]
          : [event],
      );
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(conversationLog(80, 40), fc.infiniteStream(fc.nat(9)), async (events, lengths) => {
        const { log, threadId, memory } = await setUp();
        const all = withSessions(unlogged(events));
        for (let at = 0; at < all.length; ) {
          const length = (lengths.next().value ?? 0) + 1;
          await log.append(threadId, all.slice(at, at + length));
          at += length;
          const known = await memory.of(threadId);
          const read = await new ThreadMemory(log).of(threadId);
          const asked = getMessages(known.conversation).filter(({ role, spawnedBy }) => role === 'user' && !spawnedBy);
          const parentId = asked[asked.length - 1 - ((lengths.next().value ?? 0) % 3)]?.id;
          if (parentId === undefined) continue;
          const run = { runId: 'new', agentId: 'agent', parentId };
          expect(getRunInput(run, known)).toEqual(getRunInput(run, read));
          compared++;
        }
      }),
      { numRuns: 25 },
    );
    expect(compared).toBeGreaterThan(60);
  });

  it('uses the state that a holder keeps current, passes new events to it, and caches it after the release', async () => {
    const { log, threadId, memory } = await setUp();
    const thread = await log.getThread(threadId);
    const threadState = new ThreadState();
    const seen: number[] = [];
    threadState.watch(({ seq }) => seen.push(seq));
    const letGo = memory.hold(thread ?? { id: '', createdAt: '' }, threadState);
    await log.append(threadId, [said('a'), said('b')]);
    expect(await memory.of(threadId)).toBe(threadState);
    expect(seen).toEqual([1, 2]);
    letGo();
    await log.append(threadId, [said('c')]);
    expect(await memory.of(threadId)).toBe(threadState);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('drops the threads that were not used for longest when it holds too many bytes', async () => {
    const { log, threadId, messagesOf } = await setUp(60_000);
    const { id: other } = await log.createThread();
    const long = (runId: string): AgentEvent => ({ type: 'user', runId, content: 'x'.repeat(40_000) });
    await log.append(threadId, [said('a'), long('b')]);
    await log.append(other, [long('c')]);
    await messagesOf(threadId);
    await messagesOf(other);
    expect(await messagesOf(other)).toEqual(['c']);
    expect(log.count).toBe(3);
    expect(await messagesOf(threadId)).toEqual(['a', 'b']);
    expect(log.count).toBe(5);
  });

  it('keeps the thread that was used last, also one that is longer than all it may hold', async () => {
    const { log, threadId, messagesOf } = await setUp(1_000);
    const { id: other } = await log.createThread();
    for (const id of [threadId, other]) await log.append(id, [said(`in ${id}`)]);
    for (const [id, read] of [
      [threadId, 1],
      [threadId, 1],
      [other, 2],
      [threadId, 3],
    ] as const) {
      expect(await messagesOf(id)).toEqual([`in ${id}`]);
      expect(log.count).toBe(read);
    }
  });

  it('drops a thread that is longer than all it may hold a minute after it was used', async () => {
    const timers = new Set<() => void>();
    const after = (ms: number, run: () => void) => {
      expect(ms).toBe(60_000);
      timers.add(run);
      return () => void timers.delete(run);
    };
    const { log, threadId, memory, messagesOf } = await setUp(10_000, { now: () => 0, after });
    await log.append(threadId, [said('a')]);
    await messagesOf(threadId);
    expect(timers.size).toBe(0);
    await log.append(threadId, [{ type: 'user', runId: 'b', content: 'x'.repeat(40_000) }]);
    for (let uses = 0; uses < 3; uses++) {
      await messagesOf(threadId);
      expect([timers.size, log.count]).toEqual([1, 2]);
    }
    for (const run of timers) run();
    expect(memory.size).toBe(0);
    expect(await messagesOf(threadId)).toEqual(['a', 'b']);
    expect(log.count).toBe(4);
  });

  it('drops a thread when it is deleted, also one that somebody holds', async () => {
    const { log, threadId, memory } = await setUp();
    await log.append(threadId, [said('a')]);
    await memory.of(threadId);
    const { id: other } = await log.createThread();
    const release = memory.hold((await log.getThread(other)) ?? { id: '', createdAt: '' }, new ThreadState());
    await log.deleteThread(threadId);
    await log.deleteThread(other);
    release();
    expect(memory.size).toBe(0);
  });
});

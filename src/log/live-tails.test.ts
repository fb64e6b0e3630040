import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { LiveTails } from './live-tails.ts';

const event: LoggedEvent = { type: 'text', runId: 'r', id: 'i', content: 'c', seq: 1, ts: '2025-01-01T00:00:00Z' };

const asStored = (events: readonly LoggedEvent[]) => ({ events, bodies: events.map(each => JSON.stringify(each)) });

function setUp() {
  const waiting: boolean[] = [];
  const live = new LiveTails(on => waiting.push(on));
  const read = async (_: string, range: { after?: number } = {}) => (range.after === 0 ? [event] : []);
  const tail = (signal?: AbortSignal) => live.tail({ read }, 'thread', 0, signal ? { signal } : {});
  return { live, tail, waiting };
}

/** A tail that has given its event and waits for the next. */
async function waitingTail(tail: AsyncIterableIterator<LoggedEvent>) {
  expect((await tail.next()).value).toEqual(event);
  const next = tail.next();
  await new Promise(resolve => setImmediate(resolve));
  return next;
}

describe('a reader is released', () => {
  it('by a break', async () => {
    const { live, tail } = setUp();
    for await (const _ of tail()) {
      expect(live.size).toBe(1);
      break;
    }
    expect(live.size).toBe(0);
  });

  it('by an error of the one who reads', async () => {
    const { live, tail } = setUp();
    const failing = async () => {
      for await (const _ of tail()) throw new Error('reader failed');
    };
    await expect(failing()).rejects.toThrow('reader failed');
    expect(live.size).toBe(0);
  });

  it.each<[string, (live: LiveTails, tail: AsyncIterableIterator<LoggedEvent>, stop: AbortController) => unknown]>([
    ['leaving', (_, tail) => tail.return?.()],
    ['an abort', (_, __, stop) => stop.abort()],
    ['closing', live => live.close()],
  ])('by %s while it waits, and the last one ends the waiting', async (_, end) => {
    const { live, tail, waiting } = setUp();
    const stop = new AbortController();
    const reader = tail(stop.signal);
    const next = waitingTail(reader);
    const other = tail();
    const otherNext = waitingTail(other);
    await new Promise(resolve => setImmediate(resolve));
    await other.return?.();
    expect(await otherNext).toEqual({ done: true, value: undefined });
    expect([live.size, waiting]).toEqual([1, [true]]);
    await end(live, reader, stop);
    expect(await next).toEqual({ done: true, value: undefined });
    expect([live.size, waiting]).toEqual([0, [true, false]]);
  });

  it('by the end of its thread', async () => {
    const { live, tail } = setUp();
    const reader = tail();
    await reader.next();
    live.end('thread');
    await expect(reader.next()).rejects.toMatchObject({ code: 'thread_not_found' });
    expect(live.size).toBe(0);
  });
});

describe('events of a tail', () => {
  const numbered = (seq: number): LoggedEvent => ({ ...event, seq });

  it('come one by one though several are asked for at once', async () => {
    const live = new LiveTails();
    const read = async (_: string, { after = 0 } = {}) => [1, 2, 3].filter(seq => seq > after).map(numbered);
    const tail = live.tail({ read }, 'thread', 0, {});
    const asked = await Promise.all([tail.next(), tail.next(), tail.next()]);
    expect(asked.map(({ value }) => (value as LoggedEvent).seq)).toEqual([1, 2, 3]);
    const waiting = [tail.next(), tail.next()];
    await new Promise(resolve => setImmediate(resolve));
    live.publish('thread', asStored([numbered(4), numbered(5)]));
    expect((await Promise.all(waiting)).map(({ value }) => (value as LoggedEvent).seq)).toEqual([4, 5]);
    await tail.return?.();
  });

  it('are taken without a wait when they are there', async () => {
    const live = new LiveTails();
    const read = async (_: string, { after = 0 } = {}) => [1, 2, 3].filter(seq => seq > after).map(numbered);
    const tail = live.tail({ read }, 'thread', 0, {});
    expect(tail.take()).toBeUndefined();
    await tail.next();
    expect([tail.take()?.seq, tail.take()?.seq, tail.take()]).toEqual([2, 3, undefined]);
    const next = tail.next();
    await new Promise(resolve => setImmediate(resolve));
    live.publish('thread', asStored([numbered(4), numbered(5)]));
    expect([((await next).value as LoggedEvent).seq, tail.take()?.seq]).toEqual([4, 5]);
    await tail.return?.();
    expect(tail.take()).toBeUndefined();
  });

  it('are frozen, whether they were stored before or come live', async () => {
    const live = new LiveTails();
    const custom = (seq: number): LoggedEvent => {
      return { type: 'custom', runId: 'r', name: 'n', data: { list: [1] }, seq, ts: event.ts };
    };
    const read = async (_: string, { after = 0 } = {}) => (after === 0 ? [custom(1)] : []);
    const tail = live.tail({ read }, 'thread', 0, {});
    const { value: stored } = await tail.next();
    const next = tail.next();
    await new Promise(resolve => setImmediate(resolve));
    live.publish('thread', asStored([custom(2)]));
    for (const value of [stored, (await next).value] as Extract<LoggedEvent, { type: 'custom' }>[])
      expect([value, value.data, (value.data as { list: unknown }).list].map(Object.isFrozen)).toEqual([
        true,
        true,
        true,
      ]);
    await tail.return?.();
  });

  it('that were stored while the reader was busy are not read back', async () => {
    const live = new LiveTails();
    const reads: number[] = [];
    const read = async (_: string, { after = 0 } = {}) => {
      reads.push(after);
      return after === 0 ? [numbered(1)] : [];
    };
    const tail = live.tail({ read }, 'thread', 0, {});
    await tail.next();
    live.publish('thread', asStored([numbered(2), numbered(3)]));
    const seqs = [await tail.next(), await tail.next()].map(({ value }) => (value as LoggedEvent).seq);
    expect([seqs, reads]).toEqual([[2, 3], [0]]);
    await tail.return?.();
  });

  it('are not looked for when the place to begin at is known to be the end', async () => {
    const live = new LiveTails();
    const reads: number[] = [];
    const read = async (_: string, { after = 0 } = {}) => {
      reads.push(after);
      return [];
    };
    const tail = live.tail({ read, isNewest: seq => seq === 5 }, 'thread', 5, {});
    const next = tail.next();
    live.publish('thread', asStored([numbered(6)]));
    expect([((await next).value as LoggedEvent).seq, reads]).toEqual([6, []]);
    await tail.return?.();
  });
});

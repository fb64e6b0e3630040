import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventQuery, ThreadEvent } from '../events/event-query.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { readEventPage } from './event-pages.ts';
import { MemoryLog } from './memory-log.ts';
import { SqliteLog } from './sqlite/sqlite-log.ts';

const said = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 'm', content });
const used: AgentEvent = { type: 'usage', runId: 'r', inputTokens: 1, outputTokens: 1 };
const nameOf = ({ threadId, event }: ThreadEvent) => `${threadId}:${event.seq}`;

/** Reads all pages; `between` happens after each of them. */
async function readAll(
  log: MemoryLog | SqliteLog,
  query: EventQuery,
  between: () => Promise<unknown> = async () => {},
) {
  const found: ThreadEvent[] = [];
  let pages = 0;
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await readEventPage(log, { ...query, ...(cursor && { cursor }) });
    found.push(...events);
    pages++;
    if (next === undefined) return { found, pages };
    cursor = next;
    await between();
  }
}

describe.each([
  ['memory', () => new MemoryLog()],
  ['SQLite', () => new SqliteLog(':memory:')],
])('the events of all threads, in %s', (_, open) => {
  it('are read thread by thread, by type, resource and time, and those of a branch once', async () => {
    const log = open();
    const old = await log.createThread({ id: 'old', resourceId: 'ann', imported: true });
    await log.append(old.id, [{ ...used, ts: '2020-01-01T00:00:00.000Z' }, said('imported')], { imported: true });
    await log.createThread({ id: 'a', resourceId: 'ann' });
    await log.append('a', [said('one'), used, said('two')]);
    await log.createThread({ id: 'b', resourceId: 'bob' });
    await log.append('b', [used]);
    const branch = await log.branch('a', 2, { id: 'c' });
    await log.append(branch.id, [used]);

    const names = async (query: EventQuery) => (await readAll(log, query)).found.map(nameOf).toSorted();
    expect(await names({})).toEqual(['a:1', 'a:2', 'a:3', 'b:1', 'c:3', 'old:1', 'old:2']);
    expect(await names({ types: ['usage'] })).toEqual(['a:2', 'b:1', 'c:3', 'old:1']);
    expect(await names({ types: ['usage'], resourceId: 'bob' })).toEqual(['b:1']);
    expect(await names({ since: '2025-01-01T00:00:00Z', types: ['usage'] })).toEqual(['a:2', 'b:1', 'c:3']);
    await log.close();
  });

  it('are read on after each page, whatever its size, with threads that change meanwhile', async () => {
    const log = open();
    const step = fc.record({ thread: fc.nat(4), count: fc.integer({ min: 1, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.array(step, { maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (before, meanwhile, limit) => {
          const resourceId = `r${Math.random()}`;
          const ids = await Promise.all([0, 1, 2, 3, 4].map(async () => (await log.createThread({ resourceId })).id));
          const append = ({ thread, count }: { thread: number; count: number }) =>
            log.append(
              ids[thread] as string,
              Array.from({ length: count }, () => used),
            );
          for (const each of before) await append(each);
          const stored = await readAll(log, { resourceId });
          const left = [...meanwhile];
          const { found } = await readAll(log, { resourceId, limit }, async () => {
            const next = left.shift();
            if (next !== undefined) await append(next);
          });
          const names = found.map(nameOf);
          for (const each of stored.found) expect(names).toContain(nameOf(each));
          if (meanwhile.length === 0) expect(new Set(names).size).toBe(stored.found.length);
        },
      ),
      { numRuns: 60 },
    );
    await log.close();
  }, 60_000);
});

describe('a page of the events of all threads', () => {
  it('finds a thread that moved to the front of the listing while pages were read', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const log = new MemoryLog({ now: () => now });
    const ids = Array.from({ length: 450 }, (_, index) => `t${index}`);
    for (const id of ids) {
      now += 1_000;
      await log.createThread({ id });
      await log.append(id, [used]);
    }
    // The oldest thread changes after the first page, which does not have it.
    let moved = false;
    const { found } = await readAll(log, { limit: 100 }, async () => {
      now += 1_000;
      if (!moved) await log.append('t0', [used]);
      moved = true;
    });
    const names = found.map(nameOf);
    expect(new Set(names).size).toBe(451);
    expect(names).toContain('t0:1');
  });

  it('ends in a thread where it is full, and the next begins there', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const log = new MemoryLog({ now: () => now });
    const { id } = await log.createThread();
    await log.append(
      id,
      Array.from({ length: 12_000 }, () => used),
    );
    now += 1_000;
    const { found, pages } = await readAll(log, { types: ['text'] });
    expect([found.length, pages]).toEqual([0, 3]);
    const first = await readEventPage(log, { limit: 3 });
    expect(first.events.map(({ event }) => event.seq)).toEqual([1, 2, 3]);
    const second = await readEventPage(log, { limit: 2, cursor: first.next as string });
    expect(second.events.map(({ event }) => event.seq)).toEqual([4, 5]);
  });

  it('says from when on to read next: nothing is lost between two readings', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    await log.append(id, [used]);
    const { until } = await readEventPage(log);
    await log.append(id, [said('later')]);
    const later = await readEventPage(log, { since: until });
    expect(later.events.map(nameOf)).toContain(`${id}:2`);
  });

  it.each([
    [{ since: 'yesterday' }, 'a time'],
    [{ types: ['nothing'] }, 'a list of types'],
    [{ limit: 0 }, 'a whole number'],
    [{ cursor: 'abc' }, 'the `next` of a page'],
    [{ resource: 'ann' }, 'resource'],
  ])('refuses %j', async (query, message) => {
    await expect(readEventPage(new MemoryLog(), query as EventQuery)).rejects.toThrow(message);
  });
});

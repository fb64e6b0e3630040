import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sample } from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { agentEvent } from '../../../test/support/random-events.ts';
import { allThreads } from '../all-threads.ts';
import type { EventLog, RawLine } from '../event-log.ts';
import { checkStore } from './check-store.ts';
import { copyStore } from './copy-store.ts';
import { openStore } from './open-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-copy-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const events = sample(agentEvent(), { numRuns: 1200, seed: 7 });

async function openTarget(url: string) {
  let time = 0;
  const log = await openStore(url, { now: () => time });
  return { log, setTime: (ms: number) => void (time = ms) };
}

const newFile = () => `file:${join(folder, `${files++}.db`)}`;

function raw(n: number, bytes: number[]): RawLine {
  return { n, ts: '2025-01-01T00:00:00.000Z', stream: n % 2 === 0 ? 'stderr' : 'stdout', line: new Uint8Array(bytes) };
}

/** A log with everything that a copy has to keep. */
async function fullLog(url = 'memory:'): Promise<EventLog> {
  let time = Date.UTC(2025, 0, 1);
  const log = await openStore(url, { now: () => (time += 1234) });
  const parent = await log.createThread({
    id: 'parent',
    resourceId: 'ann',
    title: 'A "title" \u00e9',
    metadata: { a: [1] },
  });
  await log.append(parent.id, events.slice(0, 700));
  await log.append(parent.id, events.slice(700, 702), { once: 'first' });
  await log.append(parent.id, [], { once: 'second' });
  await log.append(parent.id, events.slice(702));
  const runId = events[0]?.runId ?? '';
  await log.appendRaw(
    parent.id,
    runId,
    Array.from({ length: 450 }, (_, index) => raw(index + 1, [index % 256, 0, 255])),
  );
  await log.branch(parent.id, 701, { id: 'branch', title: 'Branch' });
  await log.append('branch', events.slice(0, 3), { once: 'first', metadata: { note: { owner: 'p' } } });
  await log.branch('branch', 702, { id: 'branch of the branch' });
  await log.createThread({ id: 'gone', resourceId: 'bob' });
  await log.append('gone', events.slice(0, 20));
  await log.branch('gone', 5, { id: 'orphan' });
  await log.branch('gone', 12, { id: 'longer orphan' });
  await log.append('orphan', events.slice(0, 2));
  await log.deleteThread('gone');
  await log.createThread({ id: 'imported', imported: true });
  await log.append('imported', events.slice(0, 9), { imported: true });
  await log.append('imported', events.slice(9, 12));
  await log.createThread({ id: 'empty' });
  await log.updateThread('parent', { metadata: { b: 'changed' } });
  return log;
}

/** Everything that can be read from a log. */
async function contentsOf(log: EventLog): Promise<unknown> {
  const all = [];
  for await (const thread of allThreads(log)) {
    const texts = await log.readTexts(thread.id, { limit: 10_000 });
    const runIds = new Set((await log.read(thread.id, { limit: 10_000 })).map(({ runId }) => runId));
    const lines = [];
    for (const runId of runIds) lines.push([runId, await log.readRaw(thread.id, runId, { limit: 10_000 })]);
    all.push({ thread, texts, lines, keys: await log.onceKeys?.(thread.id) });
  }
  return all;
}

describe('a copy of a store', () => {
  it.each([
    ['memory to a file', () => 'memory:', newFile],
    ['a file to memory', newFile, () => 'memory:'],
    ['a file to another', newFile, newFile],
  ])('has everything of its source: %s', async (_, from, to) => {
    const source = await fullLog(from());
    const target = await openTarget(to());
    const progress = await copyStore(source, target);
    expect(await contentsOf(target.log)).toEqual(await contentsOf(source));
    expect(progress).toMatchObject({ threads: 7, done: 7, unchanged: 0, rawLines: 450 });
    expect(await checkStore(target.log)).toMatchObject({ threads: 7, problems: [] });
    await source.close();
    await target.log.close();
  });

  it('shares the events of branches instead of storing them again', async () => {
    const source = await fullLog();
    const target = await openTarget('memory:');
    expect((await copyStore(source, target)).events).toBe(1200 + 3 + 2 + 12 + 12);
    await target.log.deleteThread('parent');
    expect(await target.log.read('branch', { limit: 2000 })).toHaveLength(704);
  });

  it('copies only what changed when it is made again', async () => {
    const source = await fullLog();
    const target = await openTarget('memory:');
    await copyStore(source, target);
    await source.append('orphan', [{ type: 'user', runId: 'r', content: 'more' }]);
    await source.updateThread('empty', { title: 'Renamed', metadata: { x: 1 } });
    await source.updateThread('branch', { metadata: { note: null } });
    expect(await copyStore(source, target)).toMatchObject({ threads: 7, unchanged: 4, events: 1, rawLines: 0 });
    expect(await contentsOf(target.log)).toEqual(await contentsOf(source));
  });

  it('continues after it was interrupted at any call', async () => {
    const source = await fullLog();
    const target = await openTarget('memory:');
    for (let limit = 1; ; limit += 3) {
      const { log, isSpent } = failingAfter(target.log, limit);
      await copyStore(source, { ...target, log }).catch((error: unknown) => {
        if (!isSpent()) throw error;
      });
      if (!isSpent()) break;
    }
    expect(await contentsOf(target.log)).toEqual(await contentsOf(source));
  });

  afterEach(() => vi.useRealTimers());

  it('indexes what it copied', async () => {
    // Nothing is indexed in the background.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const source = await openStore('memory:');
    await source.createThread({ id: 'long' });
    // More than a search indexes before it searches.
    const asked = Array.from(
      { length: 3_000 },
      (_, n) => ({ type: 'user', runId: `r${n}`, content: `apple ${n}` }) as const,
    );
    await source.append('long', asked);
    const target = await openTarget(newFile());
    await copyStore(source, target);
    expect(await target.log.search?.({ text: 'apple 2999' })).toMatchObject({
      hits: [{ seq: 3_000 }],
      isComplete: true,
    });
    await target.log.close();
  });

  it('refuses a target that has another thread with the same id', async () => {
    const source = await fullLog();
    const target = await openTarget('memory:');
    await target.log.createThread({ id: 'parent' });
    await target.log.append('parent', [{ type: 'user', runId: 'r', content: 'mine' }]);
    await expect(copyStore(source, target)).rejects.toMatchObject({ code: 'thread_exists' });
    expect(await target.log.read('parent')).toHaveLength(1);
  });
});

/** The log, whose methods fail after so many changes; the last one fails when it was made. */
function failingAfter(log: EventLog, limit: number) {
  let changes = 0;
  const failing = new Proxy(log, {
    get: (from, name) => {
      const value: unknown = Reflect.get(from, name, from);
      if (typeof value !== 'function') return value;
      const isChange = /^(append|appendRaw|createThread|branch|updateThread|deleteThread)$/.test(String(name));
      return async (...args: unknown[]) => {
        if (isChange && changes >= limit) throw new Error('interrupted');
        const result: unknown = await value.apply(from, args);
        if (isChange && ++changes >= limit) throw new Error('interrupted');
        return result;
      };
    },
  });
  return { log: failing, isSpent: () => changes >= limit };
}

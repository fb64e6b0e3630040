import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { EventLog } from '../event-log.ts';
import { MemoryLog } from '../memory-log.ts';
import { nextTurn } from '../next-turn.ts';
import { SqliteLog } from '../sqlite/sqlite-log.ts';
import { ThreadDerivation } from './thread-derivation.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-depth-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.restoreAllMocks());

/** Counts the events that are derived from: all of them, and the most of one turn of the event loop. */
function countDerived() {
  const counted = { all: 0, mostInTurn: 0 };
  const take = vi.spyOn(ThreadDerivation.prototype, 'take');
  const count = () => {
    const inTurn = take.mock.calls.reduce((sum, [events]) => sum + events.length, 0);
    take.mockClear();
    counted.all += inTurn;
    counted.mostInTurn = Math.max(counted.mostInTurn, inTurn);
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const stop = () => {
    clearImmediate(timer);
    count();
    clearImmediate(timer);
  };
  return { counted, stop };
}

/** Indexes branches that each have one event and are branches of each other. */
async function indexBranches(log: EventLog & Required<Pick<EventLog, 'search'>>, depth: number) {
  const { counted, stop } = countDerived();
  let { id } = await log.createThread();
  for (let level = 1; level <= depth; level++) {
    await log.append(id, [{ type: 'user', runId: `u${level}`, content: level === depth ? 'pear' : 'apple' }]);
    ({ id } = await log.branch(id, level));
    // Appends that succeed at once would share a turn: what counts is the work of each and that in the background.
    await nextTurn();
  }
  for (;;) {
    await nextTurn();
    const { hits, isComplete } = await log.search({ text: 'pear' });
    if (!isComplete) continue;
    expect(hits).toHaveLength(1);
    break;
  }
  stop();
  vi.restoreAllMocks();
  await log.close();
  return { perBranch: counted.all / depth, mostInTurn: counted.mostInTurn };
}

describe('branches of branches', () => {
  it.each([
    ['in memory', () => new MemoryLog(), 1_100],
    // One step of the search and one in the background.
    ['in SQLite', (name: string) => new SqliteLog(join(folder, name)), 2 * 300],
  ])('%s are indexed at the same cost each, however deep they are, in small steps', async (_, open, most) => {
    const few = await indexBranches(open('few.db'), 100);
    const many = await indexBranches(open('many.db'), 1_000);
    expect(many.perBranch).toBeLessThan(1.2 * few.perBranch);
    expect(many.mostInTurn).toBeLessThan(most);
  });

  it('are found by the words of a text that began before them', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    const text = (content: string) => ({ type: 'text' as const, runId: 'r', id: 't', content });
    await log.append(id, [{ type: 'harness_start', runId: 'r', agentId: 'a' }, text('apple ')]);
    const branch = await log.branch(id, 2);
    await log.append(branch.id, [
      text('pear '),
      text('plum '),
      text('fig'),
      { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
    ]);
    expect((await log.search({ text: 'pear' })).hits).toEqual([expect.objectContaining({ threadId: branch.id })]);
  });
});

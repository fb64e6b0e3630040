import { describe, expect, it } from 'vitest';
import { MemoryLog } from './memory-log.ts';
import { deleteThreads } from './retention.ts';

const day = 86_400_000;

/** A log with a thread a day for each resource, the newest of today. */
async function logOfDays(days: number) {
  let now = Date.UTC(2025, 0, 1);
  const log = new MemoryLog({ now: () => now });
  for (let n = 0; n < days; n++) {
    for (const resourceId of ['ann', 'bob']) await log.createThread({ id: `${resourceId} ${n}`, resourceId });
    now += day;
  }
  return { log, at: (n: number) => new Date(Date.UTC(2025, 0, 1 + n)) };
}
const ids = async (log: MemoryLog) => (await log.listThreads({ limit: 1000 })).map(({ id }) => id).toSorted();

describe('deleteThreads', () => {
  it('deletes all threads of a resource', async () => {
    const { log } = await logOfDays(120);
    expect(await deleteThreads(log, { resourceId: 'ann' })).toBe(120);
    expect((await ids(log)).every(id => id.startsWith('bob'))).toBe(true);
    expect(await ids(log)).toHaveLength(120);
  });

  it('deletes threads that were last changed before a time, and no others', async () => {
    const { log, at } = await logOfDays(4);
    expect(await deleteThreads(log, { before: at(2) })).toBe(4);
    expect(await ids(log)).toEqual(['ann 2', 'ann 3', 'bob 2', 'bob 3']);
    expect(await deleteThreads(log, { before: at(3), resourceId: 'bob' })).toBe(1);
    expect(await ids(log)).toEqual(['ann 2', 'ann 3', 'bob 3']);
  });

  it('keeps threads with an open run unless `openRuns` is set', async () => {
    const { log, at } = await logOfDays(1);
    await log.append('ann 0', [{ type: 'run_requested', runId: 'r', agentId: 'a', parentId: 'u:user' }]);
    expect(await deleteThreads(log, { before: at(9) })).toBe(1);
    expect(await ids(log)).toEqual(['ann 0']);
    expect(await deleteThreads(log, { before: at(9), openRuns: true })).toBe(1);
  });

  it('refuses to delete everything, and options that are unknown', async () => {
    const { log } = await logOfDays(1);
    await expect(deleteThreads(log, {})).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(deleteThreads(log, { resource: 'ann' } as object)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await ids(log)).toHaveLength(2);
  });
});

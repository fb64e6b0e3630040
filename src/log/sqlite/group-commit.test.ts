import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { SqliteLog } from './sqlite-log.ts';

const said = (content: string): AgentEvent => ({ type: 'user', runId: `run of ${content}`, content });
const logs: SqliteLog[] = [];

async function openLog(threads: number) {
  const path = join(mkdtempSync(join(tmpdir(), 'group-commit-')), 'log.db');
  const log = new SqliteLog(path);
  logs.push(log);
  const ids: string[] = [];
  for (let at = 0; at < threads; at++) ids.push((await log.createThread()).id);
  await nextTurn();
  return { log, path, ids };
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve));

/** How many transactions the write-ahead log of a file has: the last frame of each has the size of the file. */
function countCommits(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  const frame = 24 + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + frame <= wal.length && wal.subarray(at + 8, at + 16).equals(salt); at += frame)
    if (wal.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}

afterEach(async () => {
  for (const log of logs.splice(0)) await log.close();
});

describe('appends of one turn of the event loop', () => {
  it('share a commit, however many threads they are for', async () => {
    const commits: number[] = [];
    for (const count of [10, 100]) {
      const { log, path, ids } = await openLog(count);
      const before = countCommits(path);
      const appended = await Promise.all(ids.map(id => log.append(id, [said(id)])));
      commits.push(countCommits(path) - before);
      expect(appended).toEqual(ids.map(() => ({ firstSeq: 1, lastSeq: 1 })));
      for (const id of ids) expect(await log.read(id)).toMatchObject([{ content: id, seq: 1 }]);
    }
    // The first is committed at once, the others together.
    expect(commits).toEqual([2, 2]);
  });

  it('are committed one by one when each is in a turn of its own', async () => {
    const { log, path, ids } = await openLog(3);
    const before = countCommits(path);
    for (const id of ids) {
      await log.append(id, [said(id)]);
      await nextTurn();
    }
    expect(countCommits(path) - before).toBe(3);
  });

  it('are committed at once when one thread is written, one after another', async () => {
    const { log, ids } = await openLog(1);
    let hasTurnEnded = false;
    setImmediate(() => (hasTurnEnded = true));
    for (let at = 0; at < 20; at++) await log.append(ids[0] ?? '', [said(`${at}`)]);
    expect(hasTurnEnded).toBe(false);
    expect(await log.read(ids[0] ?? '')).toHaveLength(20);
  });

  it('keep their order within a thread', async () => {
    const { log, ids } = await openLog(2);
    const [a = '', b = ''] = ids;
    const appends = [a, b, a, b, a].map((id, at) => log.append(id, [said(`${at}`)]));
    expect((await Promise.all(appends)).map(({ firstSeq }) => firstSeq)).toEqual([1, 1, 2, 2, 3]);
    expect(await log.read(a)).toMatchObject([{ content: '0' }, { content: '2' }, { content: '4' }]);
  });

  it('fail alone', async () => {
    const { log, ids } = await openLog(4);
    const [a = '', b = '', c = '', d = ''] = ids;
    const results = await Promise.allSettled([
      log.append(a, [said('a')]),
      log.append(b, [said('b')]),
      log.append(c, [said('c')], { expectedSeq: 7 }),
      log.append('unknown', [said('x')]),
      log.append(d, [said('d')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(results[2]).toMatchObject({ reason: { code: 'seq_conflict' } });
    expect(results[3]).toMatchObject({ reason: { code: 'thread_not_found' } });
    expect(await Promise.all(ids.map(async id => (await log.read(id)).length))).toEqual([1, 1, 0, 1]);
  });

  it('are read by whoever reads after they were asked for, and are stored when the log closes', async () => {
    const { log, path, ids } = await openLog(3);
    const appends = ids.map(id => log.append(id, [said(id)]));
    expect((await log.read(ids[1] ?? '')).length).toBe(1);
    appends.push(log.append(ids[2] ?? '', [said('last')]));
    await log.close();
    await Promise.all(appends);
    const again = new SqliteLog(path);
    logs.push(again);
    expect(await again.read(ids[2] ?? '')).toMatchObject([{ content: ids[2] }, { content: 'last' }]);
  });

  it('store what they were given, whatever its owner changes meanwhile', async () => {
    const { log, ids } = await openLog(2);
    const events = ids.map(id => said(id)) as { content: string }[];
    const appends = ids.map((id, at) => log.append(id, [events[at] as unknown as AgentEvent]));
    for (const event of events) event.content = 'changed';
    await Promise.all(appends);
    for (const id of ids) expect(await log.read(id)).toMatchObject([{ content: id }]);
  });

  it('wait together, in their order, while another process has the file locked', async () => {
    const { log, path, ids } = await openLog(3);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const done: string[] = [];
    const appends = ids.map(async id => {
      await log.append(id, [said(id)]);
      done.push(id);
    });
    await nextTurn();
    await nextTurn();
    expect(done).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await Promise.all(appends);
    expect(done).toEqual(ids);
    for (const id of ids) expect(await log.read(id)).toMatchObject([{ content: id, seq: 1 }]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { SqliteLog } from '../sqlite/sqlite-log.ts';
import { checkStore } from './check-store.ts';

let folder: string;
let log: SqliteLog;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'check-store-'));
  log = await SqliteLog.open(join(folder, 'log.db'));
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

const events: AgentEvent[] = [
  { type: 'run_requested', runId: 'r', agentId: 'a', parentId: 'p' },
  { type: 'relay', runId: 'r', id: 'q', relayKind: 'question', question: 'Tea?' },
  { type: 'message_queued', runId: 'm', id: 'next', content: 'Then this', delivery: 'follow_up', agent: 'a', order: 0 },
];

/** A thread with a run, a relay and a message that are open, a branch of it, and an import of its events. */
async function fill() {
  await log.createThread({ id: 't' });
  const lease = await log.acquireLease('thread:t', { owner: 'o', ttlMs: 60_000 });
  await log.append('t', events, { lease });
  await log.branch('t', 3, { id: 'branch' });
  await log.createThread({ id: 'import', imported: true });
  await log.append('import', events, { imported: true });
}

const indexes = async () =>
  Promise.all(['t', 'branch', 'import'].map(async id => (await log.getThread(id))?.open ?? []));

function runSql(sql: string): void {
  const db = new Database(join(folder, 'log.db'));
  db.exec(sql);
  db.close();
}

describe('the check of a store', () => {
  it('finds nothing in an index of open things that follows from the events, of branches and imports too', async () => {
    await fill();
    expect((await indexes()).map(open => open.length)).toEqual([3, 0, 0]);
    expect(await checkStore(log)).toMatchObject({ threads: 3, problems: [], rebuilt: [] });
  });

  it.each([
    ['misses something', "DELETE FROM open_things WHERE kind = 'relay'"],
    ['has something that was closed', "UPDATE open_things SET id = '\"gone\"' WHERE kind = 'message'"],
    [
      'has something of an import',
      "INSERT INTO open_things SELECT key, 'relay', '\"q\"', '\"r\"', 2, NULL, NULL FROM threads WHERE id = 'import'",
    ],
  ])('finds an index that %s, and writes it anew; a run keeps its owner', async (_, sql) => {
    await fill();
    const before = await indexes();
    runSql(sql);
    const { problems } = await checkStore(log);
    expect(problems).toEqual([
      { threadId: expect.any(String) as string, message: expect.stringContaining('store check --rebuild') as string },
    ]);
    expect(await checkStore(log, { rebuild: true })).toMatchObject({ problems: [], rebuilt: [problems[0]?.threadId] });
    expect(await checkStore(log)).toMatchObject({ problems: [] });
    expect(await indexes()).toEqual(before);
  });

  it('leaves a thread alone that got another event meanwhile', async () => {
    await fill();
    const before = await indexes();
    expect(await log.replaceOpen('t', [], 2)).toBe(false);
    expect(await log.replaceOpen('unknown', [], 0)).toBe(false);
    expect(await indexes()).toEqual(before);
  });
});

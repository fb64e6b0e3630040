import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/index.ts';
import { readWindow } from '../window.ts';
import { migrate } from './schema.ts';
import { SqliteLog } from './sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-backlog-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ts = '2026-01-01T00:00:00.000Z';
/** The newest schema that derived nothing from events. */
const olderSchema = 8;

/** A file of an older version, with a thread of this many messages and a branch of it. */
function writeOldFile(path: string, count: number): void {
  const db = new Database(path);
  migrate(db, olderSchema);
  db.exec('BEGIN');
  const info = (title: string) => JSON.stringify({ title, metadata: {} });
  const insert = db.prepare(
    'INSERT INTO threads (key, id, resource, info, created, updated, owner, fork) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  insert.run([1, 'old', 'default', info('Old harbour'), ts, ts, null, 0]);
  insert.run([2, 'child', 'default', info('Branch'), ts, ts, 1, 700]);
  const event = db.prepare('INSERT INTO events (position, body) VALUES (? << 32 | ?, ?)');
  const bodyOf = (seq: number): AgentEvent => ({ type: 'user', runId: `u${seq}`, content: `apple ${seq}`, seq, ts });
  for (let seq = 1; seq <= count; seq++) event.run([1, seq, JSON.stringify(bodyOf(seq))]);
  const used: AgentEvent = { type: 'usage', runId: 'r', inputTokens: 7, outputTokens: 1, seq: 701, ts };
  event.run([2, 701, JSON.stringify(used)]);
  db.exec('COMMIT');
  db.close();
}

const indexed = (log: SqliteLog) =>
  expect.poll(async () => (await log.search({ text: 'apple' })).isComplete, { timeout: 10_000 }).toBe(true);

describe('a file of an older version', () => {
  it('opens at once, is searched as far as it is indexed, and is indexed in small steps', async () => {
    const path = join(folder, 'old.db');
    writeOldFile(path, 1_500);
    const log = new SqliteLog(path);
    expect((await log.search({ text: 'apple' })).isComplete).toBe(false);
    // An append does not wait for it, and is not lost for it.
    await log.append('old', [{ type: 'user', runId: 'new', content: 'a new pear' }]);
    expect((await readWindow(log, 'old', { limit: 50 })).events).toHaveLength(50);
    await indexed(log);
    for (const [text, found] of [
      ['1500', ['old', 'u1500:user', 1_500]],
      ['pear', ['old', 'new:user', 1_501]],
      ['harbour', ['old', undefined, undefined]],
    ] as const) {
      const { hits } = await log.search({ text });
      expect(hits.map(({ threadId, messageId, seq }) => [threadId, messageId, seq])).toEqual([found]);
    }
    expect(await log.usage()).toMatchObject([{ inputTokens: 7, modelCalls: 1 }]);
    expect(await log.seqOfMessage('child', 'u600:user')).toBe(600);
    expect(await log.seqOfMessage('child', 'u800:user')).toBeUndefined();
    expect((await log.outlineAt('old', 1_500))?.seq).toBeGreaterThan(900);
    await log.close();
  });

  it('is indexed on by the next one to open it, each text once', async () => {
    const path = join(folder, 'interrupted.db');
    writeOldFile(path, 1_500);
    const first = new SqliteLog(path);
    await expect.poll(async () => (await first.search({ text: 'apple' })).hits.length).toBeGreaterThan(0);
    await first.close();
    const log = new SqliteLog(path);
    await indexed(log);
    let count = 0;
    for (let after: string | undefined; ; ) {
      const page = await log.search({ text: 'apple', limit: 100, ...(after !== undefined && { after }) });
      count += page.hits.length;
      after = page.next;
      if (after === undefined) break;
    }
    expect(count).toBe(1_500);
    await log.close();
  });

  it('leaves no word of a thread that is deleted before it is indexed', async () => {
    const path = join(folder, 'deleted.db');
    writeOldFile(path, 1_500);
    const log = new SqliteLog(path);
    await log.deleteThread('child');
    await log.deleteThread('old');
    await indexed(log);
    expect((await log.search({ text: 'apple' })).hits).toEqual([]);
    await log.close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { readWindow } from '../window.ts';
import { connect } from './open.ts';
import { migrate } from './schema.ts';
import { SqliteLog } from './sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-backlog-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ts = '2026-01-01T00:00:00.000Z';
/** The newest schema that derived nothing from events. */
const olderSchema = 8;

/** A file of an older version, with a thread of this many messages and a branch of it. */
function writeOldFile(path: string, count: number): void {
  const db = connect(path);
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

/** How many threads of a file are marked. */
function marked(path: string): number {
  const db = new Database(path);
  const [row] = db.prepare('SELECT count(*) AS count FROM backlog').all() as { count: number }[];
  db.close();
  return row?.count ?? 0;
}

/** The seq up to which a thread of a file is indexed; undefined when it is so completely. */
function progressOf(path: string, key: number): number | undefined {
  const db = new Database(path);
  const [row] = db.prepare('SELECT after FROM backlog WHERE thread = ?').all([key]) as { after: number }[];
  db.close();
  return row?.after;
}

const asked = (runId: string, content: string): AgentEvent => ({ type: 'user', runId, content });
const called: AgentEvent = { type: 'usage', runId: 'run', inputTokens: 5, outputTokens: 1 };

describe('an append', () => {
  afterEach(() => vi.useRealTimers());

  it('waits for the next time when its thread is derived from already', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const path = join(folder, 'growing.db');
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    const db = new Database(path);
    // Whenever a thread is derived from completely, it is marked again, as by the next append.
    db.exec(`CREATE TABLE passes (thread INTEGER);
      CREATE TRIGGER again AFTER DELETE ON backlog BEGIN
        INSERT INTO passes VALUES (OLD.thread);
        INSERT INTO backlog (thread, after) VALUES (OLD.thread, 1);
      END`);
    await log.append('a', [asked('one', 'apple')]);
    await vi.advanceTimersByTimeAsync(900);
    expect(db.prepare('SELECT count(*) AS count FROM passes').all()).toEqual([{ count: 1 }]);
    db.close();
    await log.close();
  });

  it('only marks its thread, which is derived from shortly after', async () => {
    const path = join(folder, 'marked.db');
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    await log.append('a', [asked('one', 'apple')]);
    await log.append('a', [asked('two', 'apple')]);
    expect(marked(path)).toBe(1);
    await expect.poll(() => marked(path), { timeout: 10_000 }).toBe(0);
    await log.close();
  });

  it('is found by the next process when it was not derived from, each text and call once', async () => {
    const path = join(folder, 'left.db');
    const first = new SqliteLog(path);
    await first.createThread({ id: 'a' });
    await first.append('a', [asked('one', 'apple'), called]);
    expect((await first.search({ text: 'apple' })).hits).toHaveLength(1);
    await first.append('a', [asked('two', 'apple'), called]);
    await first.close();
    expect(marked(path)).toBe(1);
    const log = new SqliteLog(path);
    expect(await log.search({ text: 'apple' })).toMatchObject({ hits: [{ seq: 3 }, { seq: 1 }], isComplete: true });
    expect(await log.usage()).toMatchObject([{ inputTokens: 10, modelCalls: 2 }]);
    expect(await log.seqOfMessage('a', 'two:user')).toBe(3);
    await log.close();
  });

  it('of another process is found by a search at once', async () => {
    const path = join(folder, 'other.db');
    const [one, other] = [new SqliteLog(path), new SqliteLog(path)];
    await one.createThread({ id: 'a' });
    await one.append('a', [{ type: 'text', runId: 'run', id: 'text', content: 'half ' }]);
    expect((await other.search({ text: 'half' })).hits).toEqual([]);
    await other.append('a', [{ type: 'text', runId: 'run', id: 'text', content: 'whole' }]);
    expect((await one.search({ text: 'half' })).hits).toEqual([]);
    await one.append('a', [called]);
    for (const log of [one, other]) expect((await log.search({ text: 'half whole' })).hits).toMatchObject([{ seq: 1 }]);
    await Promise.all([one.close(), other.close()]);
  });

  it('stays counted when its thread is deleted before it is derived from, and leaves no word', async () => {
    const path = join(folder, 'deleted-at-once.db');
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    await log.append('a', [asked('one', 'apple'), called]);
    await log.branch('a', 1, { id: 'b' });
    await log.append('a', [asked('two', 'pear'), called]);
    await log.deleteThread('a');
    expect(await log.usage()).toMatchObject([{ inputTokens: 10, modelCalls: 2 }]);
    expect((await log.search({ text: 'apple' })).hits).toMatchObject([{ threadId: 'b', seq: 1 }]);
    await log.close();
    const db = new Database(path);
    expect(db.prepare('SELECT seq FROM texts').all()).toEqual([{ seq: 1 }]);
    db.close();
  });

  it('is searched without its words while another process holds the lock of the file', async () => {
    const path = join(folder, 'locked.db');
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    await log.append('a', [asked('one', 'apple')]);
    const db = new Database(path);
    db.exec('BEGIN EXCLUSIVE');
    expect(await log.search({ text: 'apple' })).toEqual({ hits: [], isComplete: false });
    db.exec('ROLLBACK');
    db.close();
    expect((await log.search({ text: 'apple' })).hits).toHaveLength(1);
    await log.close();
  });
});

describe('a file of an older version', () => {
  it('opens at once, is searched as far as it is indexed, and is indexed in small steps', async () => {
    const path = join(folder, 'old.db');
    writeOldFile(path, 4_500);
    const log = new SqliteLog(path);
    expect((await log.search({ text: 'apple' })).isComplete).toBe(false);
    // An append does not wait for it, and is not lost for it.
    await log.append('old', [{ type: 'user', runId: 'new', content: 'a new pear' }]);
    expect((await readWindow(log, 'old', { limit: 50 })).events).toHaveLength(50);
    await indexed(log);
    for (const [text, found] of [
      ['4500', ['old', 'u4500:user', 4_500]],
      ['pear', ['old', 'new:user', 4_501]],
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

  it('shows its pages after reading a bounded number of events', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const path = join(folder, 'old-pages.db');
    writeOldFile(path, 20_000);
    const log = new SqliteLog(path);
    const read = vi.spyOn(log, 'read');
    for (const [request, last] of [
      [{}, 20_000],
      [{ around: 10_000 }, 10_050],
      [{ before: 15_001 }, 15_000],
      [{ after: 12_000 }, 12_100],
    ] as const) {
      read.mockClear();
      const { events, lastSeq, firstSeq } = await readWindow(log, 'old', { ...request, limit: 100 });
      expect(lastSeq).toBe(last);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: last - firstSeq + 1 }, (_, n) => firstSeq + n));
      const pages = await Promise.all(read.mock.results.map(({ value }) => value as Promise<unknown[]>));
      expect(pages.flat().length).toBeLessThan(2_000);
    }
    expect(marked(path)).toBe(2);
    await log.close();
    vi.useRealTimers();
  });

  it('is indexed more slowly while it is read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const path = join(folder, 'old-read.db');
    writeOldFile(path, 1_000);
    const log = new SqliteLog(path);
    await vi.advanceTimersByTimeAsync(500);
    await log.getThread('old');
    await vi.advanceTimersByTimeAsync(24);
    expect(progressOf(path, 1)).toBe(200);
    await vi.advanceTimersByTimeAsync(25);
    expect(progressOf(path, 1)).not.toBe(200);
    await log.close();
    vi.useRealTimers();
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

describe('branches of branches', () => {
  it('are derived from a bounded number of events each, however deep they are', async () => {
    const path = join(folder, 'deep.db');
    const log = new SqliteLog(path);
    let { id } = await log.createThread();
    const [depth, each] = [120, 5];
    for (let level = 1; level <= depth; level++) {
      await log.append(
        id,
        Array.from({ length: each }, (_, index) => asked(`u${level}-${index}`, 'apple')),
      );
      ({ id } = await log.branch(id, level * each));
    }
    await log.append(id, [asked('last', 'apple and pear')]);
    await indexed(log);
    expect((await log.search({ text: 'pear' })).hits).toHaveLength(1);
    await log.close();
    const db = new Database(path);
    const rows = db.prepare('SELECT position & 0xffffffff AS seq FROM outlines').all() as { seq: number }[];
    db.close();
    const seqs = [0, ...rows.map(({ seq }) => seq).toSorted((a, b) => a - b), depth * each];
    const gaps = seqs.slice(1).map((seq, index) => seq - (seqs[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(64 + 2 * each);
  });
});

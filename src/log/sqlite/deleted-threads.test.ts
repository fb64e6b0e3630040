import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from './open.ts';
import { migrate } from './schema.ts';
import { SqliteLog } from './sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-deleted-'));
afterAll(() => rmSync(folder, { recursive: true }));

let path: string;
let files = 0;
beforeEach(() => {
  path = join(folder, `${files++}.db`);
});

const ts = '2025-01-01T00:00:00.000Z';
const event = (content: string) => ({ type: 'text', runId: 'run', id: 'id', content }) as const;
const word = () => randomBytes(12).toString('hex');

/** Which of the words are in the file or in those beside it. */
function found(words: readonly string[]): string[] {
  const names = [path, `${path}-wal`, `${path}-shm`].filter(existsSync);
  const bytes = Buffer.concat(names.map(name => readFileSync(name)));
  return words.filter(each => bytes.includes(each));
}

/** Writes a thread whose title, metadata, events and raw lines have words of their own. */
async function writeThread(log: SqliteLog, id: string, count: number): Promise<string[]> {
  const words = Array.from({ length: count }, word);
  const [title = '', value = '', key = '', line = ''] = words;
  await log.createThread({ id, title, metadata: { value } });
  for (const [n, each] of words.entries())
    await log.append(id, [event(`${each} `.repeat(n % 10 === 0 ? 500 : 5))], n === 0 ? { once: key } : {});
  const lines = [1, 2, 3].map(n => ({
    n,
    ts,
    stream: 'stdout' as const,
    line: Buffer.from(`${line} ${n}`.repeat(300)),
  }));
  await log.appendRaw(id, `run of ${id}`, lines);
  return words;
}

describe('a deleted thread', () => {
  it('leaves no word in the file or beside it, and the file shrinks', async () => {
    const log = new SqliteLog(path);
    const kept = await writeThread(log, 'kept', 5);
    const small = () => statSync(path).size + statSync(`${path}-wal`).size;
    const words = await writeThread(log, 'gone', 600);
    await log.updateThread('gone', { title: 'another title' });
    const large = small();
    expect(found(words)).toEqual(words);
    await log.deleteThread('gone');
    expect(found([...words, 'another title', 'run of gone'])).toEqual([]);
    expect(found(kept)).toEqual(kept);
    expect(small()).toBeLessThan(large / 4);
    await log.close();
  });

  it('leaves of its events only those that a branch refers to', async () => {
    const log = new SqliteLog(path);
    const words = await writeThread(log, 'gone', 50);
    await log.branch('gone', 20, { id: 'long' });
    await log.branch('gone', 10, { id: 'short' });
    await log.deleteThread('gone');
    const shared = words.slice(0, 20);
    expect(found(words)).toEqual(shared);
    await log.deleteThread('long');
    expect(found(words)).toEqual(shared.slice(0, 10));
    expect(await log.read('short')).toHaveLength(10);
    await log.deleteThread('short');
    expect(found(words)).toEqual([]);
    await log.close();
  });

  it('is removed from beside the file when nobody reads it any more', async () => {
    const log = new SqliteLog(path);
    const words = await writeThread(log, 'gone', 20);
    const reader = new Database(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').raw().get();
    await log.deleteThread('gone');
    expect(await log.getThread('gone')).toBeUndefined();
    expect(found(words)).toEqual(words);
    reader.exec('COMMIT');
    reader.close();
    await expect.poll(() => found(words), { timeout: 10_000 }).toEqual([]);
    await log.close();
  });

  it('is removed by the next one to open the file when its process ended before', async () => {
    const log = new SqliteLog(path);
    const words = await writeThread(log, 'gone', 20);
    await log.close();
    const db = new Database(path);
    db.exec(`UPDATE threads SET hidden = 1, id = '\u0001' || key`);
    db.close();
    const next = new SqliteLog(path);
    await expect.poll(() => found(words), { timeout: 10_000 }).toEqual([]);
    await next.close();
  });

  it('leaves no word in a file that was made by an older version', async () => {
    const old = connect(path);
    migrate(old, 4);
    const words = [word(), word(), word()] as const;
    const body = (seq: number, content: string) => JSON.stringify({ ...event(content), seq, ts });
    const long = `${words[0]} `.repeat(1000);
    old.exec(`INSERT INTO threads VALUES (1, 'a', 'default', '{"metadata":{}}', '${ts}', '${ts}', NULL, 0, 0)`);
    old.exec(`INSERT INTO events VALUES (1, 1, '${body(1, long)}'), (1, 2, '${body(2, words[1])}')`);
    old.exec(`INSERT INTO raw_lines VALUES (1, 'run', 1, '${ts}', 'stdout', CAST('${words[2]}' AS BLOB))`);
    old.close();
    const log = new SqliteLog(path);
    expect(await log.read('a')).toMatchObject([{ content: long }, { content: words[1] }]);
    expect(Buffer.from((await log.readRaw('a', 'run'))[0]?.line ?? []).toString()).toBe(words[2]);
    const large = statSync(path).size;
    await log.deleteThread('a');
    expect(found(words)).toEqual([]);
    expect(statSync(path).size).toBeLessThan(large);
    await log.close();
  });
});

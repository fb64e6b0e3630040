import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SqliteLog } from './sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-locked-'));
afterAll(() => rmSync(folder, { recursive: true }));

let path: string;
let files = 0;
beforeEach(() => {
  path = join(folder, `${files++}.db`);
});

const event = (content: string) => ({ type: 'text', runId: 'run', id: 'id', content }) as const;
const contents = async (log: SqliteLog, threadId: string) =>
  (await log.read(threadId)).map(each => (each.type === 'text' ? each.content : ''));

/** Locks the file for writing, as another process does, until that is ended. */
function lock(): () => void {
  const db = new Database(path);
  db.exec('BEGIN EXCLUSIVE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

/** Resolves when timers of this process ran this often. */
async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(resolve => setTimeout(resolve, 1));
}

describe('a file that another process has locked', () => {
  it('is written when the lock is released; until then timers run and reads succeed', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    const program = `
      const Database = require(${JSON.stringify(join(process.cwd(), 'node_modules/libsql'))});
      const db = new Database(${JSON.stringify(path)});
      db.exec('BEGIN EXCLUSIVE');
      console.log('locked');
      process.stdin.on('end', () => process.exit()).resume();`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    let isWritten = false;
    const written = log.append('a', [event('1')]).then(result => {
      isWritten = true;
      return result;
    });
    await ticks(20);
    expect(isWritten).toBe(false);
    expect(await log.read('a')).toEqual([]);
    expect(await log.getThread('a')).toMatchObject({ seq: 0 });
    child.stdin.end();
    expect(await written).toEqual({ firstSeq: 1, lastSeq: 1 });
    await log.close();
  });

  it('keeps the order of what waits for it, whatever it is', async () => {
    const log = new SqliteLog(path);
    const release = lock();
    const waiting = [
      log.createThread({ id: 'a' }),
      log.append('a', [event('1')], { expectedSeq: 0 }),
      log.updateThread('a', { title: 'first' }),
      log.acquireLease('name', { owner: 'one', ttlMs: 1000 }),
      expect(log.acquireLease('name', { owner: 'two', ttlMs: 1000 })).rejects.toMatchObject({ code: 'lease_held' }),
      ...Array.from({ length: 50 }, (_, n) => log.append('a', [event(String(n + 2))])),
      log.branch('a', 51, { id: 'b' }),
      log.updateThread('a', { title: 'second' }),
      log.deleteThread('b'),
    ];
    await ticks(10);
    release();
    await Promise.all(waiting);
    expect(await contents(log, 'a')).toEqual(Array.from({ length: 51 }, (_, n) => String(n + 1)));
    expect(await log.listThreads()).toMatchObject([{ id: 'a', title: 'second' }]);
    await log.close();
  });

  it('is written what it was given, whatever the caller changes while it waits', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    const release = lock();
    const given = { ...event('given') };
    const metadata = { key: 'given' };
    const line = Buffer.from('given');
    const waiting = [
      log.append('a', [given], { metadata }),
      log.createThread({ id: 'b', metadata }),
      log.appendRaw('a', 'run', [{ n: 1, ts: '2025-01-01T00:00:00Z', stream: 'stdout', line }]),
      expect(log.append('a', [{ ...event(''), runId: 1 as unknown as string }])).rejects.toMatchObject({
        code: 'invalid_event',
      }),
    ];
    given.content = metadata.key = 'taken';
    line.fill(0);
    release();
    await Promise.all(waiting);
    expect(await contents(log, 'a')).toEqual(['given']);
    expect(await log.getThread('a')).toMatchObject({ metadata: { key: 'given' } });
    expect(await log.getThread('b')).toMatchObject({ metadata: { key: 'given' } });
    expect(Buffer.from((await log.readRaw('a', 'run'))[0]?.line ?? []).toString()).toBe('given');
    await log.close();
  });

  it('delivers to tails what was appended after the wait', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    const tail = log.tail('a')[Symbol.asyncIterator]();
    const next = tail.next();
    const release = lock();
    void log.append('a', [event('1')]);
    await ticks(5);
    release();
    expect((await next).value).toMatchObject({ seq: 1, content: '1' });
    await log.close();
  });

  it('is given up with log_busy after the time that was asked for; nothing was changed', async () => {
    const log = new SqliteLog(path, { lockWaitMs: 10 });
    await log.createThread({ id: 'a' });
    const release = lock();
    const busy = { code: 'log_busy', message: expect.stringContaining(path) };
    await Promise.all([
      expect(log.append('a', [event('lost')])).rejects.toMatchObject(busy),
      expect(log.append('a', [event('lost')])).rejects.toMatchObject(busy),
      expect(log.deleteThread('a')).rejects.toMatchObject(busy),
      expect(log.releaseLease({ name: 'n', owner: 'o', token: 1, expiresAt: '' })).rejects.toMatchObject(busy),
    ]);
    release();
    expect(await log.append('a', [event('kept')])).toEqual({ firstSeq: 1, lastSeq: 1 });
    expect(await contents(log, 'a')).toEqual(['kept']);
    await log.close();
  });

  it('can be closed: what waits is refused with log_closed, and nothing hangs', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    const release = lock();
    const waiting = expect(log.append('a', [event('1')])).rejects.toMatchObject({ code: 'log_closed' });
    await ticks(2);
    await log.close();
    await waiting;
    release();
  });

  it('is opened when the lock is released, without holding up anything', async () => {
    const release = lock();
    expect(() => new SqliteLog(path, { openWaitMs: 0 })).toThrow(expect.objectContaining({ code: 'log_busy' }));
    await expect(SqliteLog.open(path, { lockWaitMs: 10 })).rejects.toMatchObject({ code: 'log_busy' });
    let isOpen = false;
    const opening = SqliteLog.open(path).then(log => {
      isOpen = true;
      return log;
    });
    await ticks(20);
    expect(isOpen).toBe(false);
    release();
    const log = await opening;
    await log.createThread({ id: 'a' });
    await log.close();
  });
});

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../base/singletree-error.ts';
import { connect } from './open.ts';
import { migrate, schemaVersion } from './schema.ts';
import { SqliteLog } from './sqlite-log.ts';
import type { OpenKind } from '../open-things.ts';
import { ThreadTable } from './thread-table.ts';
import { Transaction } from './transaction.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-file-'));
chmodSync(root, 0o755);
afterAll(() => rmSync(root, { recursive: true }));

let path: string;
let files = 0;
beforeEach(() => {
  path = join(root, `${files++}.db`);
});

const event = (content: string) => ({ type: 'text', runId: 'run', id: 'id', content }) as const;

/** Runs SQL on the file and leaves everything in it, nothing beside it. */
function sql(...statements: string[]): void {
  const db = new Database(path);
  for (const statement of [...statements, 'PRAGMA wal_checkpoint(TRUNCATE)']) db.exec(statement);
  db.close();
}

function count(table: string): number {
  const db = new Database(path);
  try {
    return (db.prepare(`SELECT count(*) FROM ${table}`).raw().get() as [number])[0];
  } finally {
    db.close();
  }
}

async function writeLog(events = 200): Promise<Buffer> {
  const log = new SqliteLog(path);
  await log.createThread({ id: 'a' });
  await log.append(
    'a',
    Array.from({ length: events }, (_, n) => event(`${n} ${'x'.repeat(100)}`)),
  );
  await log.close();
  return readFileSync(path);
}

/** Opening fails with this code and a message that names the file, and the file stays as it is. */
function expectRefused(code: ErrorCode): void {
  const bytes = readFileSync(path);
  expect(() => new SqliteLog(path)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(path) }));
  expect(readFileSync(path).equals(bytes)).toBe(true);
}

describe('a new file', () => {
  it('is readable by its user only, and so are the files beside it', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    await log.close();
  });

  it('may be there already, empty', async () => {
    writeFileSync(path, '');
    const log = new SqliteLog(path);
    expect(await log.listThreads()).toEqual([]);
    await log.close();
  });

  it('may be none at all', async () => {
    const log = new SqliteLog(':memory:');
    await log.createThread({ id: 'a' });
    await log.append('a', [event('1')]);
    expect(await log.read('a')).toHaveLength(1);
    await log.close();
  });
});

describe('a closed file', () => {
  it('holds everything by itself, without the files beside it', async () => {
    const bytes = await writeLog();
    path = join(root, 'copy.db');
    writeFileSync(path, bytes);
    const copy = new SqliteLog(path);
    expect(await copy.read('a')).toHaveLength(200);
    await copy.close();
  });

  it.runIf(process.platform === 'linux')('leaves no descriptor open, however often it is opened', async () => {
    const openFiles = () =>
      readdirSync('/proc/self/fd').flatMap(descriptor => linkTarget(`/proc/self/fd/${descriptor}`));
    await writeLog();
    for (let round = 0; round < 20; round++) {
      const log = new SqliteLog(path);
      await log.append('a', [event('again')]);
      expect(await log.search({ text: 'again' })).toMatchObject({ hits: expect.anything() });
      await log.close();
    }
    sql(`PRAGMA user_version = ${schemaVersion + 1}`);
    expect(() => new SqliteLog(path)).toThrow(/newer version/);
    expect(openFiles().filter(file => file.startsWith(path))).toEqual([]);
  });
});

/** Where a link leads; nothing when it is gone. */
function linkTarget(link: string): string[] {
  try {
    return [readlinkSync(link)];
  } catch {
    return [];
  }
}

describe('an older schema', () => {
  it('is moved forward with its data', async () => {
    const old = connect(path);
    migrate(old, 1);
    old.close();
    const info = JSON.stringify({ title: 'old', metadata: { kept: true } });
    const time = '2024-01-01T00:00:00.000Z';
    sql(
      `INSERT INTO threads VALUES (7, 'a', 'default', '${info}', '${time}', '${time}', NULL, 0, 0)`,
      `INSERT INTO events VALUES (7, 1, '${JSON.stringify({ ...event('one'), seq: 1, ts: time })}')`,
      `INSERT INTO events VALUES (7, 2, '${JSON.stringify({ ...event('two'), seq: 2, ts: time })}')`,
      `INSERT INTO once VALUES (7, 'key', 2)`,
    );
    const log = new SqliteLog(path);
    expect(await log.getThread('a')).toMatchObject({ title: 'old', metadata: { kept: true }, seq: 2 });
    expect(await log.read('a')).toEqual([
      { ...event('one'), seq: 1, ts: time },
      { ...event('two'), seq: 2, ts: time },
    ]);
    await expect(log.append('a', [event('x')], { once: 'key' })).rejects.toMatchObject({ code: 'once_conflict' });
    await log.acquireLease('new', { owner: 'in version 2', ttlMs: 1 });
    await log.appendRaw('a', 'run', [{ n: 1, ts: time, stream: 'stdout', line: Uint8Array.of(1) }]);
    await log.close();
  });

  it('keeps the usage that was counted before threads were', async () => {
    const old = connect(path);
    migrate(old, 13);
    old.close();
    sql(`INSERT INTO used VALUES ('one', '2024-01-01', 'coder', 'large', 2, 30, 4, NULL, NULL, NULL, 0.5)`);
    const log = new SqliteLog(path);
    await log.createThread({ id: 'new', resourceId: 'one' });
    await log.append('new', [{ type: 'usage', runId: 'r', inputTokens: 5, outputTokens: 1 }]);
    expect(await log.usage({ by: ['thread'] })).toEqual([
      { threadId: '', inputTokens: 30, outputTokens: 4, cost: 0.5, modelCalls: 2 },
      { threadId: 'new', inputTokens: 5, outputTokens: 1, modelCalls: 1 },
    ]);
    await log.close();
  });
});

describe('a listing of threads', () => {
  it.each([1, schemaVersion])('is read in the order of an index, in a file that was made with schema %i', version => {
    const db = connect(path);
    migrate(db, version);
    migrate(db);
    const asked: string[] = [];
    const prepare = db.prepare.bind(db);
    db.prepare = (text: string) => {
      asked.push(text);
      return prepare(text);
    };
    const threads = new ThreadTable(db);
    const time = '2024-01-01T00:00:00.000Z';
    const after = { id: 'a', resourceId: 'r', metadata: {}, createdAt: time, updatedAt: time, seq: 0 };
    const planOf = (resourceId: string | undefined, open?: OpenKind) => {
      threads.list({ resourceId, after, open, limit: 1 });
      return prepare(`EXPLAIN QUERY PLAN ${asked.at(-1)}`)
        .raw()
        .all()
        .map(String)
        .join('\n');
    };
    const plans = [undefined, 'r'].map(resourceId => planOf(resourceId));
    for (const resourceId of [undefined, 'r']) {
      const plan = planOf(resourceId, 'relay');
      expect(plan).toContain('SEARCH threads USING INTEGER PRIMARY KEY');
      expect(plan).toContain('INDEX open_things_by_kind (kind=?)');
    }
    expect(plans[0]).toContain('INDEX threads_by_update ((updated,id)<(?,?))');
    expect(plans[1]).toContain('INDEX threads_by_resource (resource=? AND (updated,id)<(?,?))');
    expect(plans.join('\n')).not.toContain('TEMP B-TREE');
    db.close();
  });
});

describe('a file that is refused, unchanged', () => {
  it('was written by a newer version', async () => {
    await writeLog();
    sql(`PRAGMA user_version = ${schemaVersion + 1}`);
    expectRefused('log_newer');
  });

  it('belongs to another program', () => {
    sql('CREATE TABLE notes (a)');
    expectRefused('log_foreign');
    sql('PRAGMA application_id = 77', 'DROP TABLE notes');
    expectRefused('log_foreign');
  });

  it('is something else', () => {
    writeFileSync(path, randomBytes(10_000));
    expectRefused('log_corrupt');
    writeFileSync(path, 'SQLite');
    expectRefused('log_corrupt');
  });

  it('has other bytes after a good header', async () => {
    const bytes = await writeLog();
    path = join(root, 'overwritten.db');
    writeFileSync(path, bytes.fill(0xa5, 100));
    expectRefused('log_corrupt');
  });

  it.each([1, 15, 16, 17, 18, 99, 100, 1000, 4095, 4096, 5000, 8192])('was cut off after %i bytes', async length => {
    const bytes = (await writeLog()).subarray(0, length);
    path = join(root, `cut-${length}.db`);
    writeFileSync(path, bytes);
    expectRefused('log_corrupt');
  });
});

describe('a file that turns out to be damaged', () => {
  it('says so when the damaged part is read', async () => {
    const bytes = await writeLog();
    path = join(root, 'damaged.db');
    const torn = Buffer.from(bytes);
    for (let at = torn.indexOf('"type"'); at >= 0; at = torn.indexOf('"type"', at + 1)) torn[at] = 0x7b;
    writeFileSync(path, torn);
    const log = new SqliteLog(path);
    await expect(log.read('a')).rejects.toMatchObject({ code: 'log_corrupt' });
    await log.close();
  });
});

describe('a place that cannot be used', () => {
  it('is in a folder that does not exist, which is not created', () => {
    const folder = join(root, 'new', 'folder');
    expect(() => new SqliteLog(join(folder, 'log.db'))).toThrow(
      expect.objectContaining({
        code: 'log_unavailable',
        message: `${join(folder, 'log.db')} cannot be created: the folder ${folder} does not exist. Create it, or choose another file.`,
      }),
    );
    expect(existsSync(join(root, 'new'))).toBe(false);
  });

  it('is a folder', () => {
    expect(() => new SqliteLog(root)).toThrow(expect.objectContaining({ code: 'log_unavailable' }));
  });

  it('is below a file', () => {
    writeFileSync(path, '');
    expect(() => new SqliteLog(join(path, 'log.db'))).toThrow(expect.objectContaining({ code: 'log_unavailable' }));
  });

  it('is a folder one may not write to', () => {
    const folder = join(root, 'read-only');
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    asOrdinaryUser(() =>
      expect(() => new SqliteLog(join(folder, 'log.db'))).toThrow(expect.objectContaining({ code: 'log_unavailable' })),
    );
  });
});

describe('a deleted thread', () => {
  it('leaves nothing in the file once its last branch is deleted', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    await log.append('a', [event('1'), event('2')], { once: 'key' });
    await log.appendRaw('a', 'run', [{ n: 1, ts: '2025-01-01T00:00:00Z', stream: 'stdout', line: Uint8Array.of(1) }]);
    await log.branch('a', 1, { id: 'b' });
    await log.append('b', [event('3')]);
    await log.branch('b', 2, { id: 'c' });
    await log.branch('a', 2, { id: 'd' });
    await log.deleteThread('a');
    await log.deleteThread('b');
    expect([count('threads'), count('events'), count('raw_lines')]).toEqual([4, 3, 0]);
    await log.deleteThread('c');
    expect([count('threads'), count('events')]).toEqual([2, 2]);
    await log.deleteThread('d');
    expect([count('threads'), count('events'), count('once')]).toEqual([0, 0, 0]);
    await log.close();
  });
});

describe('a branch at the fork of a branch', () => {
  it('refers to the first thread, and does not keep the one between', async () => {
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    await log.append('a', [event('1')]);
    await log.branch('a', 1, { id: 'b' });
    await log.append('b', [event('2')]);
    await log.branch('b', 1, { id: 'c' });
    await log.deleteThread('b');
    expect([count('threads'), count('events')]).toEqual([2, 1]);
    await log.close();
  });
});

describe('a transaction that the engine has rolled back', () => {
  it('fails with its own reason', () => {
    const db = connect(path);
    migrate(db);
    const fail = () => {
      db.exec('ROLLBACK');
      throw new Error('disk full');
    };
    expect(() => new Transaction(db).run(fail)).toThrow('disk full');
    db.close();
  });
});

/** Root may write everywhere: for it, the action is done as another user. */
function asOrdinaryUser(action: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    action();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

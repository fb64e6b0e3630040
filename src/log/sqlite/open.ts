import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { SingletreeError } from '../../events/index.ts';
import { applicationId, migrate, schemaVersion } from './schema.ts';
import { translateErrors } from './errors.ts';

export type Connection = InstanceType<typeof Database>;

/** A connection; the native library is loaded when a file is first opened. */
function connect(path: string): Connection {
  const Connection = createRequire(import.meta.url)('libsql') as typeof Database;
  return new Connection(path);
}

/** What survives a power loss: `process`, all but the last moments; `power`, everything acknowledged, more slowly. */
export type SqliteDurability = 'process' | 'power';

/**
 * Opens or creates a log file, moving an older schema forward. A file that is not a log, is damaged or was written by
 * a newer version is refused before anything is written to it.
 */
export function openDatabase(path: string, durability: SqliteDurability): Connection {
  return translateErrors(path, () => {
    if (path !== ':memory:') prepareFile(path);
    const db = connect(path);
    try {
      db.exec('PRAGMA busy_timeout = 10000');
      db.transaction(() => checkVersion(db, path)).deferred();
      db.exec('PRAGMA journal_mode = WAL');
      db.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
      migrate(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Closes a connection; the file then holds everything by itself, unless another process is reading it. */
export function closeDatabase(db: Connection): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    db.close();
  }
}

/** Creates the file, readable by its user only (SQLite gives the files beside it the same mode), or checks it. */
function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) checkHeader(path);
  else closeSync(openSync(path, 'a', 0o600));
}

const magic = 'SQLite format 3\u0000';

/** Throws `log_corrupt` unless the file is empty or begins with a whole first page of SQLite. */
function checkHeader(path: string): void {
  const header = Buffer.alloc(magic.length + 2);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, header, 0, header.length, 0);
    if (length === 0) return;
    const pageSize = header.readUInt16BE(magic.length);
    const whole = fstatSync(file).size >= (pageSize === 1 ? 65_536 : pageSize);
    if (whole && header.toString('latin1', 0, magic.length) === magic) return;
  } finally {
    closeSync(file);
  }
  throw new SingletreeError(
    'log_corrupt',
    `${path} is not a SQLite file, or its beginning is damaged: nothing was changed. Restore it from a copy, or choose another file.`,
    {
      details: { path },
    },
  );
}

function checkVersion(db: Connection, path: string): void {
  const application = pragma(db, 'application_id');
  const version = pragma(db, 'user_version');
  const tables = (db.prepare('SELECT count(*) FROM sqlite_master').raw().get() as [number])[0];
  if (application === 0 && version === 0 && tables === 0) return;
  if (application !== applicationId)
    throw new SingletreeError(
      'log_foreign',
      `${path} is a SQLite file, but not a Singletree log: nothing was changed. Choose another file.`,
      {
        details: { path },
      },
    );
  if (version > schemaVersion)
    throw new SingletreeError(
      'log_newer',
      `${path} was written by a newer version (schema ${version}, this one knows ${schemaVersion}): nothing was changed. Update singletree.`,
      { details: { path, version, known: schemaVersion } },
    );
}

function pragma(db: Connection, name: string): number {
  return (db.prepare(`PRAGMA ${name}`).raw().get() as [number])[0];
}

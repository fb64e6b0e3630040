import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { holdFile, isHeldFile } from '../../events/held-files.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { applicationId, migrate, schemaVersion } from './schema.ts';
import { translateErrors } from './errors.ts';
import { command, type Connection, query } from './statement.ts';
import { prepareTables, type Tables } from './tables.ts';
import { Transaction } from './transaction.ts';

/**
 * Opens a file as the schema `log` of a connection in memory, which waits for locks up to `waitMs`; the native library
 * is loaded when a file is first opened. It ends a statement only when its object is collected as garbage, and a
 * connection with its last statement: an attached file is closed at once when it is detached.
 */
export function connect(path: string, waitMs = 0): Connection {
  const Connection = createRequire(import.meta.url)('libsql') as typeof Database;
  const db = new Connection(':memory:');
  try {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`);
    command(db, 'ATTACH ? AS log').run(path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Closes the file of a connection. */
export function disconnect(db: Connection): void {
  try {
    db.exec('DETACH log');
    for (const release of heldBy.get(db) ?? []) release();
  } catch {
    // A statement that a lock held up is still under way: the file is closed, and no longer held, when that is collected.
  }
  db.close();
}

/** Releases the files of a connection. */
const heldBy = new WeakMap<Connection, readonly (() => void)[]>();

/** Keeps the rest of this process from opening the files of a connection, which would end its locks. */
export function holdFiles(db: Connection, path: string): void {
  const files = [path, `${path}-wal`, `${path}-shm`].flatMap(each => statSync(each, { throwIfNoEntry: false }) ?? []);
  heldBy.set(db, files.map(holdFile));
}

/** The writes that survive a power loss: `process`, all but the most recent; `power`, all acknowledged, but slower. */
export type SqliteDurability = 'process' | 'power';

export interface OpenOptions {
  readonly durability: SqliteDurability;
  /** How long to wait, in milliseconds, for a lock that another process holds; nothing else happens meanwhile. */
  readonly waitMs: number;
  /** How large the file may become. */
  readonly maxBytes: number | undefined;
}

/**
 * Opens or creates a log file, moving an older schema forward. A file that is not a log, is damaged or was written by
 * a newer version is refused before anything is written to it. Once it is open no statement waits for a lock.
 */
export function openDatabase(
  path: string,
  { durability, waitMs, maxBytes }: OpenOptions,
): { readonly db: Connection; readonly tables: Tables } {
  return translateErrors(path, () => {
    if (path !== ':memory:') prepareFile(path);
    const db = connect(path, waitMs);
    try {
      checkVersion(db, path);
      db.exec('PRAGMA log.auto_vacuum = INCREMENTAL');
      db.exec('PRAGMA log.journal_mode = WAL');
      db.exec(`PRAGMA log.synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
      db.exec('PRAGMA log.secure_delete = ON');
      if (maxBytes !== undefined) pragma(db, `max_page_count = ${Math.floor(maxBytes / pragma(db, 'page_size'))}`);
      migrate(db);
      makeShrinkable(db);
      const tables = prepareTables(db);
      db.exec('PRAGMA busy_timeout = 0');
      if (path !== ':memory:') holdFiles(db, path);
      return { db, tables };
    } catch (error) {
      disconnect(db);
      throw error;
    }
  });
}

/** Rewrites a file that was made before files could shrink; when that cannot be done now, it is done another time. */
function makeShrinkable(db: Connection): void {
  if (pragma(db, 'auto_vacuum') !== 0) return;
  try {
    db.exec('VACUUM log');
    db.exec('PRAGMA log.wal_checkpoint(TRUNCATE)');
  } catch {
    // The file is as it was, and is used as it is.
  }
}

/**
 * Closes a connection and checkpoints the WAL file. When another process is reading or the disk is full, the newest
 * writes stay in the WAL file.
 */
export function closeDatabase(db: Connection): void {
  try {
    db.exec('PRAGMA log.wal_checkpoint(TRUNCATE)');
  } catch {
    // No data is lost: the next connection reads the WAL file.
  } finally {
    disconnect(db);
  }
}

/** Checks the file, or creates it in an existing folder with mode 0600, which SQLite also gives `-wal` and `-shm`. */
function prepareFile(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new SingletreeError(
      'log_unavailable',
      `${path} cannot be created: the folder ${folder} does not exist. Create it, or choose another file.`,
      { details: { path, folder } },
    );
  if (existsSync(path)) checkHeader(path);
  else closeSync(openSync(path, 'a', 0o600));
}

const magic = 'SQLite format 3\u0000';

/** Throws `log_corrupt` unless the file is empty or begins with a whole first page of SQLite. */
export function checkHeader(path: string): void {
  // A log of this process has checked it.
  if (isHeldFile(statSync(path))) return;
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

/** Returns the version of the schema, 0 for an empty file. One transaction reads all of it: another process may be creating the file. */
export function checkVersion(db: Connection, path: string): number {
  const [application, version, tables] = new Transaction(db, 'BEGIN').run(() => [
    pragma(db, 'application_id'),
    pragma(db, 'user_version'),
    (query(db, 'SELECT count(*) FROM log.sqlite_master').get() as [number])[0],
  ]) as [number, number, number];
  if (application === 0 && version === 0 && tables === 0) return version;
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
      `${path} was written by a newer version (schema ${version}, this one reads up to ${schemaVersion}): nothing was changed. Update singletree.`,
      { details: { path, version, known: schemaVersion } },
    );
  return version;
}

function pragma(db: Connection, name: string): number {
  return (query(db, `PRAGMA log.${name}`).get() as [number])[0];
}

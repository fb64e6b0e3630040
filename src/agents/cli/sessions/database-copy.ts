import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'libsql';
import { isHeldFile } from '../../../events/held-files.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { LinePiece } from '../../process/line-reader.ts';
import { readRecord } from './session-files.ts';

type Row = Readonly<Record<string, unknown>>;

/** How often a copy is made again because the program wrote meanwhile. */
const mostTries = 20;

interface DatabaseCopy {
  readonly path: string;
  readonly state: string;
  readonly folder: string;
  readonly db: InstanceType<typeof Database>;
}

/** The newest copy: the sessions of a database are read one after the other. */
let newest: DatabaseCopy | undefined;
let isExitWatched = false;

/**
 * Returns rows of a program's SQLite database, from a copy with its write-ahead log: the database itself is neither
 * opened nor locked. Throws `invalid_argument` when it cannot be read.
 */
export function queryDatabase(path: string, sql: string, ...values: (string | number)[]): Row[] {
  try {
    return openCopy(path)
      .prepare(sql)
      .all(...values) as Row[];
  } catch (cause) {
    throw new SingletreeError(
      'invalid_argument',
      `The database ${path} could not be read: ${cause instanceof Error ? cause.message : String(cause)}. Expected one that a version we know wrote.`,
      { details: { path }, cause },
    );
  }
}

/** Returns whether a path is a database that may be copied; a log that this process has open is none. */
export function isDatabase(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && !isHeldFile(found);
}

function openCopy(path: string): DatabaseCopy['db'] {
  if (newest?.path === path && newest.state === fileState(path)) return newest.db;
  removeCopy();
  const folder = mkdtempSync(join(tmpdir(), 'singletree-sessions-'));
  const copy = join(folder, 'copy.db');
  let state = fileState(path);
  for (let tries = 0; tries < mostTries; tries++) {
    for (const end of ['', '-wal']) {
      rmSync(`${copy}${end}`, { force: true });
      if (statSync(`${path}${end}`, { throwIfNoEntry: false }) !== undefined)
        copyFileSync(`${path}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
    }
    const now = fileState(path);
    if (now === state) break;
    state = now;
  }
  const Connection = createRequire(import.meta.url)('libsql') as typeof Database;
  if (!isExitWatched) process.once('exit', removeCopy);
  isExitWatched = true;
  newest = { path, state, folder, db: new Connection(copy) };
  return newest.db;
}

/** Removes the copy of the database that was read last. */
export function removeCopy(): void {
  if (newest === undefined) return;
  newest.db.close();
  rmSync(newest.folder, { recursive: true, force: true });
  newest = undefined;
}

function fileState(path: string): string {
  return ['', '-wal']
    .map(end => statSync(`${path}${end}`, { throwIfNoEntry: false }))
    .map(found => (found === undefined ? '' : `${found.size} ${found.mtimeMs}`))
    .join();
}

/** Returns rows as a line; `key` identifies its record across changes. */
export function rowLine(key: unknown, rows: Row): LinePiece {
  return { kind: 'line', bytes: Buffer.from(`${JSON.stringify({ key, ...rows })}\n`) };
}

/** Whether two lines have the same record. */
export function hasSameKey(stored: Uint8Array, current: Uint8Array): boolean {
  const [before, now] = [readRecord(stored)?.['key'], readRecord(current)?.['key']];
  return before !== undefined && before === now;
}

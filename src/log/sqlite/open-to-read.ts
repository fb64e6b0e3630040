import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SingletreeError } from '../../base/singletree-error.ts';
import { translateErrors } from './errors.ts';
import { checkHeader, checkVersion, connect, disconnect, holdFiles } from './open.ts';
import { type Connection } from './statement.ts';
import { schemaVersion } from './schema.ts';
import { prepareTables, type Tables } from './tables.ts';

/** Returns whether the file can be written or created; SQLite also needs to write to its folder. */
export function canWrite(path: string): boolean {
  if (!existsSync(path)) return true;
  try {
    for (const each of [path, dirname(resolve(path))]) accessSync(each, constants.W_OK);
    return true;
  } catch {
    return false; // This user may not.
  }
}

/** Opens a log file and changes nothing in it. Throws `log_unavailable` when its schema is older than this version's. */
export function openToRead(path: string): { readonly db: Connection; readonly tables: Tables } {
  return translateErrors(path, () => {
    checkHeader(path);
    const url = pathToFileURL(path);
    // Without `-shm` and `-wal` files no process uses the file; `immutable` skips the lock, which could not be taken.
    const isUsed = existsSync(`${path}-shm`) || (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    url.search = isUsed ? 'mode=ro' : 'mode=ro&immutable=1';
    const db = connect(url.href);
    try {
      const version = checkVersion(db, path);
      if (version < schemaVersion)
        throw new SingletreeError(
          'log_unavailable',
          `${path} has an older schema (${version}, expected ${schemaVersion}) and cannot be moved forward, because it may not be written. Open it once as a user who may write it.`,
          { details: { path, version, known: schemaVersion } },
        );
      holdFiles(db, path);
      return { db, tables: prepareTables(db) };
    } catch (error) {
      disconnect(db);
      throw error;
    }
  });
}

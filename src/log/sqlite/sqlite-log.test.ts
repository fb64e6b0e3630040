import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, describe, it } from 'vitest';
import { logConformance } from '../../testing/log-conformance.ts';
import type { EventLog } from '../event-log.ts';
import { SqliteLog } from './sqlite-log.ts';

/** The size of a file with what is beside it. */
function fileBytes(path: string): number {
  const db = new Database(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(path).size;
}

describe('SqliteLog', () => {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-log-'));
  const paths = new Map<EventLog, string>();
  afterAll(() => rmSync(folder, { recursive: true }));

  const openAt = (path: string, options: { now: () => number; uptime: () => number }) => {
    const log = new SqliteLog(path, options);
    paths.set(log, path);
    return log;
  };
  logConformance(
    { describe, it },
    {
      open: async options => openAt(join(folder, `${paths.size}.db`), options),
      leasesByUptime: true,
      reopen: async (log, options) => {
        await log.close();
        return openAt(paths.get(log) ?? '', options);
      },
      join: async (log, options) => openAt(paths.get(log) ?? '', options),
      storedBytes: async log => fileBytes(paths.get(log) ?? ''),
    },
  );
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeDatabase, connect, disconnect } from './open.ts';
import { openToRead } from './open-to-read.ts';
import { migrate, schemaVersion } from './schema.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'singletree-read-'));
  // Characters that mean something in a URL.
  path = join(folder, 'a%20?b#c.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(version: number): void {
  const db = connect(path);
  db.exec('PRAGMA log.journal_mode = WAL');
  migrate(db, version);
  closeDatabase(db);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}

describe('a file that is opened to be read', () => {
  it('takes no changes, and gets no files beside it', () => {
    write(schemaVersion);
    const before = readFileSync(path);
    const { db, tables } = openToRead(path);
    expect(tables.threads.find('a')).toBeUndefined();
    expect(() => tables.transaction.run(() => {})).not.toThrow();
    expect(() => db.exec('INSERT INTO backlog (thread, after) VALUES (1, 1)')).toThrow(/readonly/);
    disconnect(db);
    expect([readdirSync(folder), readFileSync(path).equals(before)]).toEqual([['a%20?b#c.db'], true]);
  });

  it('is refused when its schema is older', () => {
    write(schemaVersion - 1);
    expect(() => openToRead(path)).toThrow(
      expect.objectContaining({ code: 'log_unavailable', message: expect.stringContaining('older schema') as string }),
    );
  });
});

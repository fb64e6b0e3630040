import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ShadowRepository } from '../src/agents/coder/checkpoints/shadow-repository.ts';
import { workspace } from '../src/agents/workspace/workspace-folder.ts';
import { SqliteLog } from '../src/log/sqlite/sqlite-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'singletree-held-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The files below the folder that this process has locked, by name. */
function lockedFiles(): string[] {
  const named = readdirSync('/proc/self/fd').flatMap(fd => {
    const path = `/proc/self/fd/${fd}`;
    if (!existsSync(path)) return [];
    const target = readlinkSync(path);
    const isLocked = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').includes('POSIX');
    return target.startsWith(folder) && isLocked ? [target.slice(folder.length + 1)] : [];
  });
  return [...new Set(named)].toSorted();
}

describe.runIf(platform() === 'linux')('the files of a log in the folder that an agent works in', () => {
  const locked = ['store.db', 'store.db-shm'];

  it('stay locked when the folder is read, searched and kept in snapshots', async () => {
    const log = new SqliteLog(join(folder, 'store.db'));
    const { id } = await log.createThread();
    expect(lockedFiles()).toEqual(locked);
    const space = workspace(folder);
    for (const name of ['store.db', 'store.db-shm', 'store.db-wal'])
      await expect(space.withFile(name, ({ handle }) => handle.readFile())).rejects.toThrow(
        'is a file of the store that this process has open',
      );
    const snapshots = new ShadowRepository({ folder: join(folder, 'snapshots'), workTree: folder });
    expect(await snapshots.snapshot()).toEqual({ entries: new Map() });
    expect(lockedFiles()).toEqual(locked);
    await log.append(id, [{ type: 'user', runId: 'u', content: 'Hi.' }]);
    await log.close();
    expect(lockedFiles()).toEqual([]);
  });

  it('stay locked when another log of this process opens and closes them', async () => {
    const first = new SqliteLog(join(folder, 'store.db'));
    await new SqliteLog(join(folder, 'store.db')).close();
    expect(lockedFiles()).toEqual(locked);
    await first.close();
  });
});

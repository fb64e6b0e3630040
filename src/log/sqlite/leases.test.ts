import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteLog } from './sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-leases-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a lease in a file', () => {
  it('is free after a restart of the machine, whose clock began anew', async () => {
    const path = join(folder, 'restart.db');
    const before = new SqliteLog(path, { uptime: () => 5_000_000 });
    await before.acquireLease('n', { owner: 'a', ttlMs: 60_000 });
    await before.close();
    const after = new SqliteLog(path, { uptime: () => 20_000 });
    expect((await after.acquireLease('n', { owner: 'b', ttlMs: 60_000 })).token).toBe(2);
    await after.close();
  });

  it('ends at the same time for all processes of a machine', async () => {
    const path = join(folder, 'shared.db');
    const [one, other] = [new SqliteLog(path), new SqliteLog(path)];
    await one.acquireLease('n', { owner: 'a', ttlMs: 60_000 });
    await expect(other.acquireLease('n', { owner: 'b', ttlMs: 1 })).rejects.toMatchObject({ code: 'lease_held' });
    await one.acquireLease('m', { owner: 'a', ttlMs: 0 });
    expect((await other.acquireLease('m', { owner: 'b', ttlMs: 1 })).owner).toBe('b');
    await one.close();
    await other.close();
  });
});

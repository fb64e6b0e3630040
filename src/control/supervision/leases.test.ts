import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { isEndedProcess, processOwner } from './leases.ts';

describe('the owner of a lease', () => {
  it('is gone only when it was a process of this machine that has ended', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    expect(isEndedProcess(`${hostname()}/${pid}/x`)).toBe(true);
    expect(isEndedProcess(processOwner())).toBe(false);
    expect(isEndedProcess(`another-machine/${pid}/x`)).toBe(false);
    expect(isEndedProcess('somebody')).toBe(false);
  });

  it.skipIf(process.platform !== 'linux')('is gone when it has ended and nobody has collected it', async () => {
    // The shell starts a process and then becomes one that never waits for it.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(String(printed));
      await vi.waitFor(() => expect(isEndedProcess(`${hostname()}/${pid}/x`)).toBe(true));
      expect(() => process.kill(pid, 0)).not.toThrow();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is gone when another process has its id now', () => {
    const owner = processOwner();
    const another = owner.replace(/\/(\d+)\.[^/]+\//, '/$1.0/');
    expect(another).not.toBe(owner);
    expect([isEndedProcess(owner), isEndedProcess(another)]).toEqual([false, true]);
  });

  it('has a unique name', () => {
    expect(processOwner()).not.toBe(processOwner());
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { findProcessStart, isRunning, readWithPs } from './process-state.ts';

describe('the state of a process', () => {
  it('is known by its id and its start, because ids are used again', () => {
    const start = findProcessStart(process.pid);
    expect(start).toBeDefined();
    expect(isRunning(process.pid, start)).toBe(true);
    expect(isRunning(process.pid, `${start}0`)).toBe(false);
  });

  it('is shown by ps on a system without /proc, also of a process that nobody has collected', async () => {
    const shown = readWithPs(process.pid);
    expect(shown).toEqual({ state: expect.not.stringMatching(/^[ZX]/) as string, start: expect.any(String) as string });
    expect(readWithPs(process.pid)?.start).toBe(shown?.start);
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(String(printed));
      await vi.waitFor(() => expect(readWithPs(pid)?.state).toMatch(/^Z/));
      expect(isRunning(pid)).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
    expect(readWithPs(2 ** 22 + 1)).toBeUndefined();
  });
});

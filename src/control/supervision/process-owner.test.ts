import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isEndedProcess, processOwner } from './process-owner.ts';

describe('the owner of a lease', () => {
  it('is gone only when it was a process of this machine that has ended', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    expect(isEndedProcess(`${hostname()}/${pid}/x`)).toBe(true);
    expect(isEndedProcess(processOwner())).toBe(false);
    expect(isEndedProcess(`another-machine/${pid}/x`)).toBe(false);
    expect(isEndedProcess('somebody')).toBe(false);
  });

  it('has a unique name', () => {
    expect(processOwner()).not.toBe(processOwner());
  });
});

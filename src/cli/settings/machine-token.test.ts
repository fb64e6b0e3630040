import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureMachineToken, machineTokenFile, readMachineToken } from './machine-token.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'machine-token-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the token of a machine', () => {
  it('is made once, in a file that only its person can read', () => {
    const folder = join(home, 'data');
    expect(readMachineToken(folder)).toBeUndefined();
    const token = ensureMachineToken(folder);
    expect(token.length).toBeGreaterThan(40);
    expect([ensureMachineToken(folder), readMachineToken(folder)]).toEqual([token, token]);
    expect(statSync(machineTokenFile(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['token']);
  });

  it.each([
    ['others can read', 'known-to-others', 0o644],
    ['is empty', '', 0o600],
  ])('is replaced when it %s', (_, text, mode) => {
    writeFileSync(machineTokenFile(home), text);
    chmodSync(machineTokenFile(home), mode);
    expect(readMachineToken(home)).toBeUndefined();
    const token = ensureMachineToken(home);
    expect(token).not.toBe(text);
    expect(statSync(machineTokenFile(home)).mode & 0o777).toBe(0o600);
    expect(readMachineToken(home)).toBe(token);
  });
});

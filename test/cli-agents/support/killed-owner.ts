import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import type { LiveScene } from './live-scene.ts';

const script = fileURLToPath(new URL('../../support/live-owner.mjs', import.meta.url));

/** Processes that a program leaves on purpose, one for each home. */
const daemons = /--cline-hub-daemon/;

/** The processes that work in a home folder, without this one and daemons, by their command lines. */
export function processesIn(home: string, matches: (line: string) => boolean = () => true): string[] {
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      const isIn = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${home}\0`);
      return isIn && !daemons.test(line) && matches(line);
    } catch {
      return false;
    }
  });
}

/**
 * Starts a run in another process, which is killed when the program asks, or when the call that it approved has
 * started; waits until the program has ended with it.
 */
export async function killedOwner(scene: LiveScene, agent: string, outcome: 'none' | 'approve'): Promise<void> {
  const home = dirname(scene.options.cwd);
  const { sessions: _, ...options } = scene.options;
  const owner = spawn(process.execPath, [script, join(home, 'log.db'), agent, JSON.stringify(options), outcome], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(owner.stdout as NodeJS.ReadableStream, 'data');
    expect(processesIn(home).length).toBeGreaterThan(0);
  } finally {
    owner.kill('SIGKILL');
  }
  await once(owner, 'exit');
  await vi.waitFor(() => expect(processesIn(home)).toEqual([]), 20_000);
}

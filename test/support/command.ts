import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { bareEnvironment } from './bare-environment.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home of its own and the built command in it, off a terminal; programs in `folder` are found first, `variables` are set. */
export function builtCommand(folder?: string, variables: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'singletree-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const PATH = [folder, process.env['PATH']].filter(part => part !== undefined).join(':');
  const env = { ...bareEnvironment(), PATH, SINGLETREE_HOME: home, ...variables };
  const start = (...args: string[]): ChildProcessByStdio<null, Readable, null> =>
    spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const withInput = (input: string, ...args: string[]): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
      encoding: 'utf8',
      env,
      input,
      timeout: 20_000,
    });
    return { status, stdout, stderr };
  };
  return { home, start, withInput, singletree: (...args: string[]) => withInput('', ...args) };
}

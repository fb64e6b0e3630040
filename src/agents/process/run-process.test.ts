import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lineText } from './line-reader.ts';
import { type ProcessOptions, runProcess } from './run-process.ts';

const onLinux = process.platform === 'linux';
const cwd = mkdtempSync(join(tmpdir(), 'singletree-process-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const isRunning = (pid: number) =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout);

let count = 0;

/** Runs a program that starts a command in a session of its own and then does something; returns the command's process. */
async function commandOf(then: string, given: Partial<ProcessOptions> & { readonly act?: (pid: number) => void } = {}) {
  const { act, ...options } = given;
  const file = join(cwd, `started-${++count}`);
  const command = `setsid sh -c 'echo $$; : > "$0"; exec sleep 1000' ${file}`;
  const script = `${command} 2>/dev/null & until [ -e ${file} ]; do sleep 0.01; done; ${then}`;
  const env = { PATH: process.env['PATH'] ?? '' };
  const limits = { settleMs: 50, stopStepMs: 50, isFinished: () => false, signal: new AbortController().signal };
  let pid = 0;
  const lines = runProcess({ command: '/bin/sh', args: ['-c', script], cwd, env, ...limits, ...options });
  for await (const { bytes } of lines) {
    pid ||= Number(lineText(bytes));
    act?.(pid);
  }
  return pid;
}

describe.runIf(onLinux)('what a program started in a session of its own', () => {
  const wait = 'while :; do sleep 0.05; done';

  it.each<[string, () => Promise<number>]>([
    [
      'is aborted',
      () => {
        const stop = new AbortController();
        return commandOf(wait, { signal: stop.signal, act: () => stop.abort() });
      },
    ],
    ['reaches its time limit', () => commandOf(wait, { timeoutMs: 500 })],
    ['is silent for too long', () => commandOf(wait, { idleTimeoutMs: 500 })],
    ['is killed', () => commandOf('kill -9 $$')],
    ['fails', () => commandOf('exit 3')],
  ])('ends when the program %s', async (_, end) => {
    const pid = await end();
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  it.each<[string, () => Promise<number>]>([
    ['succeeds', () => commandOf('exit 0')],
    ['reported its end', () => commandOf(wait, { isFinished: () => true, settleMs: 300 })],
  ])('stays when the program %s', async (_, end) => {
    const pid = await end();
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

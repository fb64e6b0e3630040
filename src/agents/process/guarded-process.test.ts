import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GuardedOptions, startGuarded } from './guarded-process.ts';
import { childVariable, runVariable } from './process-marks.ts';

interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Runs a program to its end and returns everything observable. */
function outcomeOf(child: ReturnType<typeof startGuarded>, input: Uint8Array = Buffer.alloc(0)): Promise<Outcome> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }),
    );
  });
}

const env = { PATH: process.env['PATH'] ?? '', 'not.a-name': 'kept', EMPTY: '' };
const start = (command: string, args: readonly string[], more: Partial<GuardedOptions> = {}) =>
  startGuarded({ command, args, env, stdin: 'pipe', ...more });
const script = (text: string, ...args: string[]) => start('/bin/sh', ['-c', text, 'sh', ...args]);

describe('a guarded process', () => {
  it('receives its arguments and its input unchanged, and its output arrives unchanged', async () => {
    const argument = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0')),
      fc.constantFrom('', ' ', "'", '"', '\n', '$HOME', '`id`', '\\', '--', '-c', '*', 'a\nb\n'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(argument, { maxLength: 8 }),
        fc.uint8Array({ maxLength: 4096 }),
        async (args, input) => {
          const text = 'for each; do printf "%s\\0" "$each"; done >&2; exec cat';
          const { code, stdout, stderr } = await outcomeOf(script(text, ...args), input);
          expect([code, stdout.equals(input)]).toEqual([0, true]);
          expect(stderr.toString()).toBe(args.map(each => `${each}\0`).join(''));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('ends with its exit code or its signal', async () => {
    const codes = [0, 1, 2, 124, 126, 127, 128, 130, 137, 143, 255];
    for (const code of codes) expect(await outcomeOf(script(`exit ${code}`))).toMatchObject({ code, signal: null });
    for (const signal of ['HUP', 'INT', 'QUIT', 'KILL', 'TERM', 'USR1', 'PIPE'])
      expect(await outcomeOf(script(`kill -${signal} $$`))).toMatchObject({ code: null, signal: `SIG${signal}` });
  });

  it('sees the same variables and open files as an unguarded one, and its marks', async () => {
    const look = 'process.stdout.write(JSON.stringify([process.env, process.argv0, process.ppid]))';
    const files = 'require("fs").readdirSync("/dev/fd").length';
    const args = ['-e', `${look}; process.stderr.write(String(${files}))`];
    const bare = spawn(process.execPath, args, { env, stdio: 'pipe', detached: true }) as ReturnType<
      typeof startGuarded
    >;
    const expected = await outcomeOf(bare);
    const { stdout, stderr } = await outcomeOf(start(process.execPath, args, { runMark: 'a run' }));
    const [{ [childVariable]: child, [runVariable]: run, ...variables }, ...others] = JSON.parse(stdout.toString());
    expect([variables, ...others]).toEqual(JSON.parse(expected.stdout.toString()));
    expect([typeof child, run]).toEqual(['string', 'a run']);
    expect(stderr.toString()).toBe(expected.stderr.toString());
  });

  it('fails to start like an unguarded one', async () => {
    await expect(outcomeOf(start('no-such-program-here', []))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(outcomeOf(start('/etc/passwd', []))).rejects.toMatchObject({ code: 'EACCES' });
    const cwd = mkdtempSync(join(tmpdir(), 'singletree-gone-'));
    rmSync(cwd, { recursive: true });
    await expect(outcomeOf(start('/bin/sh', ['-c', ':'], { cwd }))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => start('/bin/sh', ['-c', ':', '\0'])).toThrow('null bytes');
  });

  it('accepts arguments as long as the system allows', async () => {
    const args = Array.from({ length: 10 }, () => 'x'.repeat(100_000));
    const { stdout } = await outcomeOf(script('for each; do printf %s "$each"; done', ...args));
    expect(stdout.length).toBe(1_000_000);
  });

  it('needs no PATH', async () => {
    const outcome = await outcomeOf(start('/bin/sh', ['-c', 'exit 3'], { env: { PATH: '/nowhere' } }));
    expect(outcome.code).toBe(3);
  });
});

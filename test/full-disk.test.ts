import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';

const script = fileURLToPath(new URL('support/full-disk.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'singletree-full-'));
afterAll(() => rmSync(folder, { recursive: true }));
const canLimit = spawnSync('prlimit', ['--version']).status === 0;
if (!canLimit) console.warn('skipped: a full disk (prlimit of util-linux is missing)');
if (!canLimit && process.env['CI']) throw new Error('prlimit is missing: install util-linux');

/** Lets the files of a process grow to so many bytes. */
const limitFiles = (pid: number, bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);

describe.skipIf(!canLimit)('a run whose disk is full', () => {
  it('says so in one line, waits, and completes in the same process when there is room', async () => {
    const path = join(folder, 'log.db');
    const effects = join(folder, 'effects');
    const child = spawn(process.execPath, [script, path, effects]);
    const pid = child.pid as number;
    let complaint = '';
    const full = new Promise<void>(resolve =>
      child.stderr.on('data', chunk => {
        complaint += String(chunk);
        if (complaint.includes('\n')) resolve();
      }),
    );
    const printed: string[] = [];
    const exited = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(line);
      if (line !== 'fill') continue;
      limitFiles(pid, 4096);
      child.stdin.write('\n');
      await full;
      limitFiles(pid, 'unlimited');
    }
    expect((await exited)[0]).toBe(0);
    expect(complaint.split('\n')).toEqual([
      expect.stringMatching(/^singletree: .*(disk|room).* Runs wait until the log can be written\.$/),
      'singletree: The log can be written again.',
      '',
    ]);
    const [outcome, threadId = ''] = printed.at(-1)?.split(' ') ?? [];
    expect(outcome).toBe('complete');
    expect(readFileSync(effects, 'utf8')).toBe('1\n2\n3\n');
    const log = new SqliteLog(path);
    const events = await log.read(threadId);
    const count = (type: string) => events.filter(event => event.type === type).length;
    expect([count('harness_start'), count('tool_result'), count('harness_end')]).toEqual([1, 3, 1]);
    expect(events.find(({ type }) => type === 'warning')).toMatchObject({ code: 'log_full' });
    await log.close();
  });
});

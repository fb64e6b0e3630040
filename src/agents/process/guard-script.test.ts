import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../events/ids.ts';
import { guardScript } from './guard-script.ts';
import { childVariable } from './process-marks.ts';

const onLinux = process.platform === 'linux';
/** The shells that systems have as their `sh`, as far as this one has them. */
const shells = ['/bin/sh', 'dash', 'bash', 'busybox', 'mksh', 'zsh'].filter(
  shell => spawnSync(shell, ['-c', ':'], { argv0: 'sh' }).status === 0,
);
const busybox = mkdtempSync(join(tmpdir(), 'singletree-busybox-'));
if (shells.includes('busybox')) spawnSync('busybox', ['--install', '-s', busybox]);
const pathOf = (program: string) => spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
afterAll(() => rmSync(busybox, { recursive: true }));

const isRunning = (pid: number) =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout);

/** Starts a shell command as the leader of a group and waits until it printed the process ids it was asked for. */
async function group(command: string, env: Record<string, string> = {}): Promise<{ leader: number; pids: number[] }> {
  const child = spawn('/bin/sh', ['-c', command], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.unref();
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const leader = child.pid as number;
  return { leader, pids: [leader, ...printed.toString().trim().split(/\s+/).map(Number)] };
}

describe.concurrent.each(shells)('the guard in %s', shell => {
  const owner = newId();
  const run = async (lines: readonly string[]) => {
    const env = { PATH: shell === 'busybox' ? busybox : '/usr/bin:/bin' };
    const args = ['-c', guardScript, 'guard', owner];
    const guard = spawn(pathOf(shell), args, { argv0: 'sh', stdio: ['pipe', 'ignore', 'ignore'], detached: true, env });
    guard.stdin.end(lines.map(line => `${line}\n`).join(''));
    return (await once(guard, 'exit')) as [number | null, string | null];
  };
  const mark = (child: number) => ({ [childVariable]: `${owner}.${child}.` });

  it('ends nothing when all children have ended', async () => {
    const { leader } = await group('echo $$; exec sleep 1000');
    expect(await run(['start 1', `group 1 ${leader}`, 'start 2', 'group 2 999999', 'end 1', 'end 2'])).toEqual([
      0,
      null,
    ]);
    expect(isRunning(leader)).toBe(true);
    process.kill(leader, 'SIGKILL');
  });

  it('ends a program before its command, which the program would continue after', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'singletree-guard-'));
    const file = join(folder, 'continued');
    const command = `trap : TERM; sleep 1000 & echo $!; while kill -0 $!; do wait $!; done; echo yes > ${file}`;
    const { leader, pids } = await group(command);
    expect(await run(['start 1', `group 1 ${leader}`])).toEqual([0, null]);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(existsSync(file)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('ends the groups of the remaining children, and exits when they have ended', async () => {
    const deaf = await group('trap "" INT TERM HUP; sleep 1000 & echo $!; wait');
    const plain = await group('sleep 1000 & echo $!; wait');
    const released = await group('echo $$; exec sleep 1000');
    await run([
      'start 1',
      `group 1 ${deaf.leader}`,
      'start 2',
      `group 2 ${released.leader}`,
      'start 12',
      'end 2',
      `group 12 ${plain.leader}`,
    ]);
    expect([...deaf.pids, ...plain.pids].filter(isRunning)).toEqual([]);
    expect(isRunning(released.leader)).toBe(true);
    process.kill(released.leader, 'SIGKILL');
  });

  it.runIf(onLinux)(
    'ends what left its group and carries its mark, and nothing of a child that has ended',
    async () => {
      const escape = 'setsid sh -c "echo \\$\\$; exec sleep 1000"; true';
      const [left, released] = [await group(escape, mark(1)), await group(escape, mark(11))];
      await run(['start 1', `group 1 ${left.leader}`, 'start 11', `group 11 ${released.leader}`, 'end 11']);
      expect(left.pids.filter(isRunning)).toEqual([]);
      expect(released.pids.filter(isRunning)).toEqual(released.pids);
      released.pids.forEach(pid => process.kill(pid, 'SIGKILL'));
    },
  );

  it.runIf(onLinux)('leaves what a child left on purpose outside its group', async () => {
    const escape = 'setsid sh -c "echo \\$\\$; exec sleep 1000" & setsid sh -c "echo \\$\\$; exec sleep 1000" & wait';
    const child = spawn('/bin/sh', ['-c', escape], {
      detached: true,
      env: { ...process.env, ...mark(3) },
      stdio: 'pipe',
    });
    const pids: number[] = [];
    for await (const printed of child.stdout) {
      pids.push(...String(printed).trim().split(/\s+/).map(Number));
      if (pids.length === 2) break;
    }
    const [left, working] = pids as [number, number];
    await run(['start 3', `group 3 ${child.pid}`, `spare ${left}`]);
    expect([left, working].map(isRunning)).toEqual([true, false]);
    process.kill(left, 'SIGKILL');
  });

  it.runIf(onLinux)('ends a child whose group it does not know', async () => {
    const { pids } = await group('echo $$; exec sleep 1000', mark(7));
    await run(['start 7']);
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
  });
});

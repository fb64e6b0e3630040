import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';

const script = fileURLToPath(new URL('support/process-owner.mjs', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'singletree-orphans-'));
const onLinux = process.platform === 'linux';
type Kind = 'bash' | 'subagent' | 'cli' | 'mcp';

/** What the children do: the ids of all their processes are in `pids`; some write a line each 50 ms. */
const deaf = `trap '' INT TERM HUP`;
const parts = {
  /** Works, and has something else work in the background. */
  plain: `sleep 1000 & echo $! >> pids`,
  /** Does not listen to any signal that can be ignored. */
  deaf,
  /** Has a process that left the group, and does not listen either. */
  escaped: `setsid sh -c "${deaf}; echo \\$\\$ >> pids; while :; do echo x >> ticks; sleep 0.05; done" < /dev/null > /dev/null 2>&1 &`,
};
const work = (...chosen: (keyof typeof parts)[]) => [
  '#!/bin/sh',
  ...chosen.map(name => parts[name]),
  'echo $$ >> pids',
  'while :; do echo x >> ticks; sleep 0.05; done',
];

const isRunning = (pid: number) =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout);

interface Scene {
  readonly kind: Kind;
  readonly folder: string;
  readonly owner: ChildProcess;
  readonly pids: readonly number[];
}

const scenes: Scene[] = [];
afterAll(() => {
  for (const { owner, pids } of scenes) {
    owner.kill('SIGKILL');
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  }
  rmSync(base, { recursive: true, force: true });
});

function run(what: 'start' | 'take-over', { kind, folder }: Pick<Scene, 'kind' | 'folder'>, leaseMs = 15_000) {
  const args = [script, what, kind, join(folder, 'log.db'), folder, `${leaseMs}`];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Starts an owner and waits until so many of its processes work. */
async function scene(kind: Kind, lines: readonly string[], { count = 2, leaseMs = 15_000 } = {}): Promise<Scene> {
  const folder = join(base, `${kind}-${Math.random()}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'work.sh'), `${lines.join('\n')}\n`, { mode: 0o755 });
  const owner = run('start', { kind, folder }, leaseMs);
  const noted = () => {
    const file = join(folder, 'pids');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  };
  await vi.waitFor(() => expect([noted().length, existsSync(join(folder, 'ticks'))]).toEqual([count, true]), 20_000);
  const made = { kind, folder, owner, pids: noted() };
  scenes.push(made);
  return made;
}

async function kill({ owner }: Scene, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const ended = once(owner, 'exit');
  owner.kill(signal);
  await ended;
}

const allGone = ({ pids }: Scene) => vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 10_000);

/** The process id of the guard of an owner; undefined when it has none. */
function guardOf({ owner }: Scene): number | undefined {
  const args = ['-f', `SINGLETREE_GUARD=[^ ]*/${owner.pid} `];
  const [pid] = spawnSync('pgrep', args, { encoding: 'utf8' }).stdout.split('\n');
  return pid === undefined || pid === '' ? undefined : Number(pid);
}

function killGuard(scene: Scene): number {
  const pid = guardOf(scene);
  if (pid === undefined) throw new Error('The owner has no guard.');
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** Takes the run over in another process and returns what that one reports. */
async function takeOver(scene: Scene, leaseMs?: number): Promise<string[]> {
  const child = run('take-over', scene, leaseMs);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString().trim().split('\n');
}

async function endOf({ folder }: Scene): Promise<unknown> {
  const log = new SqliteLog(join(folder, 'log.db'));
  const events = await log.read('thread', { limit: 1_000 });
  await log.close();
  return events.findLast(event => event.type === 'harness_end');
}

describe.concurrent('the processes of an owner that is killed', () => {
  it.each(['bash', 'cli', 'mcp'] as const)('end with it, and write nothing more (%s)', async kind => {
    const made = await scene(kind, work('plain'), { count: kind === 'mcp' ? 4 : 2 });
    await kill(made);
    await allGone(made);
    rmSync(join(made.folder, 'ticks'));
    await takeOver(made);
    expect(existsSync(join(made.folder, 'ticks'))).toBe(false);
  });

  it('end though they ignore SIGTERM', async () => {
    const made = await scene('bash', work('deaf', 'plain'));
    await kill(made);
    await allGone(made);
  });

  it.runIf(onLinux)('end though they left the process group', async () => {
    const made = await scene('bash', work('escaped'));
    await kill(made);
    await allGone(made);
  });

  it('end when it ends in another way', async () => {
    const made = await scene('bash', work('deaf', 'plain'));
    await kill(made, 'SIGTERM');
    await allGone(made);
  });

  it('end though their guard was killed before', async () => {
    const made = await scene('bash', work('plain'));
    const first = killGuard(made);
    await vi.waitFor(() => expect([undefined, first]).not.toContain(guardOf(made)), 10_000);
    await kill(made);
    await allGone(made);
  });
});

describe('a takeover', () => {
  it.each(['bash', 'subagent', 'mcp'] as const)('resumes a run when nothing of it is alive (%s)', async kind => {
    const made = await scene(kind, work('deaf', 'plain'), { count: kind === 'mcp' ? 4 : 2 });
    await kill(made);
    expect(await takeOver(made)).toEqual(['resumed 0', 'ended 0']);
    expect(await endOf(made)).toMatchObject({ reason: 'complete' });
  });

  it('ends a run that cannot be resumed when nothing of it is alive', async () => {
    const made = await scene('cli', work('deaf', 'plain'));
    await kill(made);
    expect(await takeOver(made)).toEqual(['ended 0']);
    expect(await endOf(made)).toMatchObject({ reason: 'interrupted' });
  });

  it.runIf(onLinux)('ends what is left though the guard was killed with the owner', async () => {
    const made = await scene('subagent', work('escaped'));
    made.owner.kill('SIGSTOP');
    killGuard(made);
    await kill(made);
    expect(made.pids.filter(isRunning)).toEqual(made.pids);
    expect(await takeOver(made)).toEqual(['resumed 0', 'ended 0']);
  });

  it.runIf(onLinux)('ends the processes of an owner that hangs and lost the thread', async () => {
    const made = await scene('bash', work('deaf', 'plain'), { leaseMs: 600 });
    made.owner.kill('SIGSTOP');
    expect(await takeOver(made, 600)).toEqual(['resumed 0', 'ended 0']);
  });
});

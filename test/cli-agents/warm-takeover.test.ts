import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../../src/agents/cli/live/session-pool.ts';
import { Supervisor } from '../../src/control/supervision/supervisor.ts';
import { checkOrder, type LoggedEvent } from '../../src/events/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { fakeProgram } from './support/fake-program.ts';

const script = fileURLToPath(new URL('../support/live-owner.mjs', import.meta.url));
const executable = fakeProgram('claude', 'fake-claude.mjs');
const leaseMs = 2_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Whether a process runs; one that its owner, which hangs, has not collected does not. */
const isRunning = (pid: number) =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout);

/** The processes in which the calls of a thread were made, by the ids of the fake program. */
const processesOf = (events: readonly LoggedEvent[]) =>
  events.flatMap(event => (event.type === 'tool_call' ? [Number(/-(\d+)$/.exec(event.id)?.[1])] : []));

describe('a program that was kept for a second turn', () => {
  it('is ended when another process takes its run over from an owner that hangs', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'singletree-warm-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const permissions = { default: 'ask' as const, rules: [{ command: 'echo *', policy: 'allow' as const }] };
    const options = { executable, cwd: folder, permissions, stopStepMs: 100 };
    const file = join(folder, 'log.db');
    const args = [
      script,
      file,
      'claude',
      JSON.stringify(options),
      'none',
      `${leaseMs}`,
      'run echo one',
      'run touch two.txt',
    ];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    cleanups.push(() => owner.kill('SIGKILL'));
    await once(owner.stdout as NodeJS.ReadableStream, 'data');

    const log = new SqliteLog(file);
    const sessions = new SessionPool();
    const agent = cliAgent('claude', { ...options, sessions });
    const supervisor = new Supervisor({ log, agents: [agent], leaseMs });
    cleanups.push(
      () => log.close(),
      () => sessions.close(),
      () => supervisor.close(),
    );
    const [first, second] = processesOf(await log.read('thread'));
    expect(second, 'the second turn uses the program of the first').toBe(first);
    expect(isRunning(second as number)).toBe(true);

    owner.kill('SIGSTOP');
    const [resumed] = await vi.waitUntil(
      async () => {
        const runs = await supervisor.recover();
        return runs.length > 0 && runs;
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(isRunning(second as number)).toBe(false);
    expect(await resumed?.done).toBe('complete');
    const events = await log.read('thread');
    expect(checkOrder(events)).toEqual([]);
    expect(events.filter(event => event.type === 'relay_resolved')).toMatchObject([
      { outcome: 'cancelled', feedback: expect.stringContaining('did not run') as string },
    ]);
    expect(existsSync(join(folder, 'two.txt'))).toBe(false);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import { SqliteLog } from '../../../src/log/index.ts';
import { callTool, LiveScene } from '../support/live-scene.ts';
import { installPrograms, programsReady } from '../support/real-program.ts';

const script = fileURLToPath(new URL('../../support/live-owner.mjs', import.meta.url));

const owners: ChildProcess[] = [];
afterEach(() => owners.splice(0).forEach(owner => owner.kill('SIGKILL')));

interface Program {
  readonly name: string;
  readonly command: (line: string) => ReturnType<typeof callTool>;
}

const all: readonly Program[] = [
  { name: 'claude', command: line => callTool('Bash', { command: line, description: 'runs it' }) },
  { name: 'codex', command: line => callTool('exec_command', { cmd: line }) },
  { name: 'pi', command: line => callTool('bash', { command: line }) },
];

/** One program at every run; the others, which take the time of several of its tests, on demand. */
const programs = process.env['SINGLETREE_PROGRAMS'] === 'all' ? all : all.slice(0, 1);
const names = programs.map(({ name }) => name);

/** The processes that work in a home folder, without this one. */
function processesIn(home: string): string[] {
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${home}\0`);
    } catch {
      return false;
    }
  });
}

async function killed(
  { name }: Program,
  turns: ModelScript,
  outcome: 'none' | 'approve',
  play: (scene: LiveScene) => Promise<void>,
): Promise<void> {
  const scene = await LiveScene.open(name, turns, options => new SqliteLog(join(dirname(options.cwd), 'log.db')));
  try {
    const home = dirname(scene.options.cwd);
    const { sessions: _, ...options } = scene.options;
    const owner = spawn(process.execPath, [script, join(home, 'log.db'), name, JSON.stringify(options), outcome], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    owners.push(owner);
    await once(owner.stdout as NodeJS.ReadableStream, 'data');
    expect(processesIn(home).length).toBeGreaterThan(0);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await vi.waitFor(() => expect(processesIn(home)).toEqual([]), 20_000);
    await play(scene);
  } finally {
    await scene.close();
    await scene.log.close();
  }
}

const isTried = process.platform === 'linux' && programsReady('programs whose owner is killed', names);

describe.runIf(isTried).each(programs)('$name, whose owner is killed', program => {
  beforeAll(() => installPrograms(names), 600_000);

  it('resumes its session: an open request did not run, and its answer is refused', () =>
    killed(program, [program.command('touch made.txt'), 'Resumed.'], 'none', async live => {
      const relay = await live.relay();
      await live.supervisor.recover();
      await expect(live.answer(relay, { outcome: 'approve' })).rejects.toThrow(/did not run/);
      await live.event(event => event.type === 'harness_end');
      const events = await live.events();
      expect(events.find(event => event.type === 'relay_resolved')).toMatchObject({
        relayId: relay.id,
        outcome: 'cancelled',
        feedback: expect.stringContaining('did not run') as string,
      });
      expect(live.has('made.txt')).toBe(false);
      expect(live.request(-1)).toContain('These calls did not run');
      expect(live.request(-1)).toContain('periwinkle');
      expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
      const sessions = events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
      expect(new Set(sessions).size).toBe(1);
    }));

  it('reports a started call as one of unknown outcome, and does not run it again', () =>
    killed(program, [program.command('echo x >> made.txt; sleep 60'), 'Resumed.'], 'approve', async live => {
      await live.supervisor.recover();
      await live.event(event => event.type === 'harness_end');
      const events = await live.events();
      expect(events.find(event => event.type === 'tool_result')).toMatchObject({
        output: { error: expect.stringContaining('outcome of this call is unknown') as string },
      });
      expect(live.request(-1)).toContain('The outcome of these calls is unknown');
      expect(live.requests()).toHaveLength(2);
      expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
    }));
});

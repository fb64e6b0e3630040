import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { driverScenes } from './support/driver-scene.ts';
import { fakeLiveAdapter } from './support/fake-live-adapter.ts';

const { cwd, scene } = driverScenes('fake-live.mjs');
const onLinux = process.platform === 'linux';

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
});

const isRunning = (pid: number) =>
  /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout);

let files = 0;
const newFile = () => join(cwd, `pid-${++files}`);

/** Waits until the command of a call runs; returns its process. */
async function processIn(file: string): Promise<number> {
  const pid = await vi.waitUntil(() => {
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch {
      return 0;
    }
  }, 20_000);
  started.push(pid);
  return pid;
}

const resultsIn = (events: readonly LoggedEvent[]) =>
  events.flatMap(event => (event.type === 'tool_result' ? [event.output] : []));
const openCalls = (events: readonly LoggedEvent[]) => {
  const done = new Set(events.flatMap(event => (event.type === 'tool_result' ? [event.id] : [])));
  return events.filter(event => event.type === 'tool_call' && !done.has(event.id));
};

/** The places to which a program can move its commands; only marks find those that left its group. */
const places = onLinux ? ['group', 'own', 'session'] : ['group'];

type Scene = Awaited<ReturnType<typeof scene>>;
const programOf = (events: readonly LoggedEvent[]) =>
  Number(events.flatMap(event => (event.type === 'tool_call' ? [/-(\d+)$/.exec(event.id)?.[1]] : []))[0]);

/** How the turn of an agent ends early: how it is brought about, how the run ends, and what its open call results in. */
const endings: Readonly<
  Record<string, { end: (scene: Scene, runId: string) => Promise<unknown>; outcome: string; result: RegExp }>
> = {
  'a person aborts it': {
    end: ({ supervisor }, runId) => supervisor.abort(runId),
    outcome: 'aborted',
    result: /^The call was aborted/,
  },
  'its program is killed': {
    end: async ({ events }) => process.kill(programOf(await events()), 'SIGKILL'),
    outcome: 'error',
    result: /outcome of this call is unknown/,
  },
  'its program ends': {
    end: async ({ events }) => process.kill(programOf(await events()), 'SIGTERM'),
    outcome: 'error',
    result: /outcome of this call is unknown/,
  },
};

describe('a turn that ends early', () => {
  describe.each(Object.entries(endings))('because %s', (_, { end, outcome, result }) => {
    it.each(places)('ends a command in a %s of the program, and its call has a result', async place => {
      const opened = await scene({ adapter: fakeLiveAdapter() });
      const file = newFile();
      const run = await opened.send(`work ${place} ${file}`);
      const pid = await processIn(file);
      expect(isRunning(pid)).toBe(true);
      await end(opened, run.runId);
      expect(await run.done).toBe(outcome);
      expect(isRunning(pid)).toBe(false);
      const events = await opened.events();
      expect(resultsIn(events)).toEqual([{ error: expect.stringMatching(result) as string }]);
      expect(openCalls(events)).toEqual([]);
    });
  });

  it.each(places)('at its time limit ends a command in a %s', async place => {
    const opened = await scene({ adapter: fakeLiveAdapter(), idleTimeoutMs: 1_500 });
    const file = newFile();
    const run = await opened.send(`work ${place} ${file}`);
    const pid = await processIn(file);
    expect(await run.done).toBe('timeout');
    expect(isRunning(pid)).toBe(false);
    expect(openCalls(await opened.events())).toEqual([]);
  });

  it.each(places)('for a run that continues elsewhere ends a command in a %s', async place => {
    const opened = await scene({ adapter: fakeLiveAdapter() });
    const file = newFile();
    await opened.send(`work ${place} ${file}`);
    const pid = await processIn(file);
    const supervisor = await opened.restart();
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 20_000);
    const [resumed] = await supervisor.recover();
    await resumed?.done;
    expect(openCalls(await opened.log.read(opened.threadId))).toEqual([]);
  });

  it('keeps the program of a stopped turn that left nothing running', async () => {
    const opened = await scene({ adapter: fakeLiveAdapter() });
    const first = await opened.send('echo; hang');
    await opened.find(event => event.type === 'text');
    await opened.supervisor.abort(first.runId);
    await first.done;
    const second = await opened.send('echo');
    await second.done;
    const pids = [first, second].map(
      async ({ runId }) => JSON.parse((await opened.texts(runId))[0] ?? '').pid as number,
    );
    expect(await pids[1]).toBe(await pids[0]);
  });
});

describe.runIf(onLinux)('a command that a turn left running at its normal end', () => {
  it.each(['own', 'session'])('stays in a %s when a later turn is aborted, whose own command ends', async place => {
    const opened = await scene({ adapter: fakeLiveAdapter() });
    const [left, working] = [newFile(), newFile()];
    expect(await (await opened.send(`leave ${place} ${left}`)).done).toBe('complete');
    const server = await processIn(left);
    const run = await opened.send(`work ${place} ${working}`);
    const command = await processIn(working);
    await opened.supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    expect([server, command].map(isRunning)).toEqual([true, false]);
  });

  it('stays when the program is ended between two turns', async () => {
    const opened = await scene({ adapter: fakeLiveAdapter() });
    const left = newFile();
    await (await opened.send(`leave own ${left}`)).done;
    await opened.sessions.close();
    expect(isRunning(await processIn(left))).toBe(true);
  });
});

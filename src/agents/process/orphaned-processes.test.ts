import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../../events/ids.ts';
import { endOrphanedProcesses } from './orphaned-processes.ts';
import { listWithPs } from './process-list.ts';
import { startGuarded } from './guarded-process.ts';
import { childVariable, guardVariable, runMark, runVariable } from './process-marks.ts';

const onLinux = process.platform === 'linux';
const started: ChildProcess[] = [];
afterEach(() => started.splice(0).forEach(child => child.kill('SIGKILL')));

/** Starts a process like one of an earlier owner, and waits until it is running. */
async function orphan(mark: string, command: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', `${command}; echo ready; while :; do sleep 0.05; done`], {
    env: { ...process.env, [runVariable]: mark, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  started.push(child);
  await once(child.stdout, 'data');
  return child;
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

describe.runIf(onLinux)('orphaned processes', () => {
  it('have ended when it returns, also those that ignore SIGTERM, and no others', async () => {
    const [mark, other] = [runMark('o', newId(), 'r'), runMark('o', newId(), 'r')];
    const [plain, deaf, unrelated] = [
      await orphan(mark, ':'),
      await orphan(mark, 'trap "" INT TERM HUP'),
      await orphan(other, ':'),
    ];
    const ended = Promise.all([once(plain, 'exit'), once(deaf, 'exit')]);
    await endOrphanedProcesses(mark);
    expect((await ended).map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGKILL']);
    expect(isOver(unrelated)).toBe(false);
  });

  it('include those of an earlier run of the thread, which may serve this one, except children of this process', async () => {
    const threadId = newId();
    const earlier = runMark('o', threadId, 'r1');
    const [warm, otherOwner] = [await orphan(earlier, ':'), await orphan(runMark('p', threadId, 'r1'), ':')];
    const own = startGuarded({
      command: '/bin/sh',
      args: ['-c', 'echo ready; while :; do sleep 0.05; done'],
      env: {},
      stdin: 'ignore',
      runMark: earlier,
    });
    started.push(own);
    await once(own.stdout, 'data');
    const ended = once(warm, 'exit');
    await endOrphanedProcesses(runMark('o', threadId, 'r2'));
    expect((await ended)[1]).toBe('SIGTERM');
    expect([otherOwner, own].map(isOver)).toEqual([false, false]);
  });

  it('do not include what an earlier run left running under an owner that has ended: its guard ended the rest', async () => {
    const threadId = newId();
    const ended = spawn('/bin/sh', ['-c', ':']);
    await once(ended, 'exit');
    const owned = (pid: number | undefined) => ({ [childVariable]: `${newId()}.1.${pid}` });
    const earlier = runMark('o', threadId, 'r1');
    const [left, ofHanging] = [
      await orphan(earlier, ':', owned(ended.pid)),
      await orphan(earlier, ':', owned(process.pid)),
    ];
    const own = await orphan(runMark('o', threadId, 'r2'), ':', owned(ended.pid));
    const over = Promise.all([once(ofHanging, 'exit'), once(own, 'exit')]);
    await endOrphanedProcesses(runMark('o', threadId, 'r2'));
    await over;
    expect(isOver(left)).toBe(false);
  });

  it('are found with ps on systems without /proc', async () => {
    const mark = runMark('o', newId(), 'r');
    const child = await orphan(mark, ':');
    const ended = once(child, 'exit');
    await endOrphanedProcesses(mark, { list: listWithPs });
    expect((await ended)[1]).toBe('SIGTERM');
  });

  it('never include this process', async () => {
    const self = { pid: process.pid, shown: `${runVariable}=mine` };
    await endOrphanedProcesses('mine', { list: async () => [self] });
  });

  it('that cannot be ended are an error; guards that do not end are ignored', async () => {
    const pid = 2 ** 30; // No system has so many processes.
    const immortal = { pid, shown: `${runVariable}=it` };
    const guard = { pid, shown: `${guardVariable}=${hostname()}/${pid}` };
    const pause = async () => {};
    const ending = endOrphanedProcesses('it', { list: async () => [immortal, guard], pause });
    await expect(ending).rejects.toMatchObject({ code: 'run_under_way', details: { pids: [pid] } });
    for (const owner of [`${hostname()}/${pid}/id`, `${hostname()}/${pid}.1931435/id`]) {
      let looks = 0;
      const list = async () => (looks++, [guard]);
      await endOrphanedProcesses('it', { owner, list, pause });
      expect(looks).toBeGreaterThan(10);
    }
  });

  it('do not wait for the guards of other owners, however many work on the machine', async () => {
    const guards = [2 ** 30, 2 ** 30 + 1].map(pid => ({ pid, shown: `${guardVariable}=${hostname()}/${pid}` }));
    const pause = () => expect.fail('it waited');
    const owner = `${hostname()}/${2 ** 30 + 10}/id`;
    await endOrphanedProcesses('it', { owner, list: async () => guards, pause });
    await endOrphanedProcesses('it', { list: async () => guards, pause });
  });
});

describe('the mark of a run', () => {
  it('differs for another owner, another thread and another run', () => {
    const marks = [runMark('o', 't', 'r'), runMark('p', 't', 'r'), runMark('o', 'u', 'r'), runMark('o', 't', 's')];
    expect(
      new Set([...marks, runMark(undefined, 't', 'r'), runMark('o', 't/r', ''), runMark('o', '', 't/r')]).size,
    ).toBe(7);
    expect(runMark('o', 't', 'r')).toBe(marks[0]);
  });

  it('is plain text for any ids', () => {
    expect(runMark('a\0b', '\ud800', '\n')).toMatch(/^[0-9a-f]{32}$/);
  });
});

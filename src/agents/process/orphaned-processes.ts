import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SingletreeError } from '../../events/index.ts';
import { startGuarded } from './guarded-process.ts';
import { processGuard } from './process-guard.ts';
import { childVariable, isOrphanedGuard, runVariable, threadMark } from './process-marks.ts';

/** The visible data of a process: its environment, and on some systems its arguments. */
interface ShownProcess {
  readonly pid: number;
  readonly shown: string;
}

interface Surroundings {
  readonly list?: () => Promise<readonly ShownProcess[]>;
  readonly pause?: (ms: number) => Promise<void>;
}

const stepMs = 25;
/** The time after SIGTERM until SIGKILL. */
const termMs = 1_000;
/** The time after the first SIGKILL until a process counts as impossible to end. */
const killMs = 10_000;

/**
 * Ends the processes that an earlier owner of a run started on this machine, for this run or an earlier one of its thread,
 * and waits until they have ended, and until the guards of ended processes are done. Throws `run_under_way` when a process cannot be ended.
 */
export async function endOrphanedProcesses(
  runMark: string,
  { list = listProcesses, pause = sleep }: Surroundings = {},
): Promise<void> {
  const mark = `${runVariable}=${runMark}`;
  const ofThread = `${runVariable}=${threadMark(runMark)}`;
  const isOrphan = ({ shown }: ShownProcess) =>
    shown.includes(mark) || (shown.includes(ofThread) && !shown.includes(`${childVariable}=${processGuard.id}.`));
  for (let waitedMs = 0; ; waitedMs += stepMs) {
    const processes = (await list()).filter(({ pid }) => pid !== process.pid);
    const orphans = processes.filter(isOrphan).map(({ pid }) => pid);
    const guards = processes.filter(({ shown }) => isOrphanedGuard(shown));
    if (orphans.length === 0 && guards.length === 0) return;
    if (waitedMs > termMs + killMs && orphans.length > 0) throw cannotEnd(orphans);
    if (waitedMs > termMs + killMs) return;
    if (waitedMs === 0) signalAll(orphans, 'SIGTERM');
    else if (waitedMs >= termMs) signalAll(orphans, 'SIGKILL');
    await pause(stepMs);
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended already.
    }
}

function cannotEnd(pids: readonly number[]): SingletreeError {
  return new SingletreeError(
    'run_under_way',
    `The run cannot be taken over: its earlier owner is gone, but some of its processes cannot be ended (${pids.join(', ')}). End them and try again.`,
    { details: { pids } },
  );
}

function listProcesses(): Promise<readonly ShownProcess[]> {
  return existsSync('/proc/self/environ') ? listFromProc() : listWithPs();
}

async function listFromProc(): Promise<readonly ShownProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  return Promise.all(
    // Processes of other users, and ended ones, show nothing.
    pids.map(async pid => ({ pid, shown: await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '') })),
  );
}

/** Lists the processes of a system without `/proc`; such a system hides the environment of its own programs. */
export async function listWithPs(): Promise<readonly ShownProcess[]> {
  const args = ['axeww', '-o', 'pid=,command='];
  const ps = startGuarded({ command: 'ps', args, env: { PATH: '/usr/bin:/bin' }, stdin: 'ignore' });
  ps.on('error', () => {});
  ps.stderr.resume();
  let text = '';
  ps.stdout.setEncoding('latin1').on('data', chunk => (text += chunk));
  await new Promise(resolve => ps.once('close', resolve));
  return text.split('\n').map(line => ({ pid: Number.parseInt(line, 10), shown: line }));
}

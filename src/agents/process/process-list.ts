import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuarded } from './guarded-process.ts';

/** The visible data of a process: its environment, and on some systems its arguments. */
export interface ShownProcess {
  readonly pid: number;
  readonly shown: string;
}

export interface Surroundings {
  readonly list?: () => Promise<readonly ShownProcess[]>;
  readonly pause?: (ms: number) => Promise<void>;
}

const stepMs = 25;
/** The time after SIGTERM until SIGKILL. */
const termMs = 1_000;
/** The time after the first SIGKILL until a process counts as impossible to end. */
const killMs = 10_000;

/**
 * Ends processes and waits until `find` returns no more to end and none to wait for; returns those that cannot be ended.
 */
export async function endProcesses(
  find: (processes: readonly ShownProcess[]) => { readonly end: readonly number[]; readonly isWaiting?: boolean },
  { list = listProcesses, pause = sleep }: Surroundings = {},
): Promise<readonly number[]> {
  for (let waitedMs = 0; ; waitedMs += stepMs) {
    const { end, isWaiting = false } = find((await list()).filter(({ pid }) => pid !== process.pid));
    if ((end.length === 0 && !isWaiting) || waitedMs > termMs + killMs) return end;
    if (waitedMs === 0) signalAll(end, 'SIGTERM');
    else if (waitedMs >= termMs) signalAll(end, 'SIGKILL');
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

/** Lists the processes of this machine, as far as it shows them. */
export function listProcesses(): Promise<readonly ShownProcess[]> {
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
  // Without `ps` no process is shown.
  ps.on('error', () => {});
  ps.stderr.resume();
  let text = '';
  ps.stdout.setEncoding('latin1').on('data', chunk => (text += chunk));
  await new Promise(resolve => ps.once('close', resolve));
  return text.split('\n').map(line => ({ pid: Number.parseInt(line, 10), shown: line }));
}

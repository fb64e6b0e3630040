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

/** How often `/proc` is read for one list: a system that starts processes without end is listed as far as it was seen. */
const mostReadings = 100;

/**
 * Lists what `/proc` shows, and reads it until nothing new appears: a single reading misses a child that was started
 * behind it by a parent that ended before its turn, and a process that is just replacing its program. The list has every
 * process that was seen, also when it has ended meanwhile.
 */
export async function listFromProc(proc: ProcessFiles = processFiles): Promise<readonly ShownProcess[]> {
  const shown = new Map<number, string>();
  for (let readings = 1; ; readings++) {
    const unread = (await proc.pids()).filter(pid => !shown.has(pid));
    if (unread.length === 0 || readings > mostReadings)
      return [...shown].map(([pid, environment]) => ({ pid, shown: environment }));
    await Promise.all(
      unread.map(async pid => {
        const text = await proc.environment(pid);
        if (text !== '' || !(await proc.isStarting(pid))) shown.set(pid, text);
      }),
    );
  }
}

/** The data read from `/proc`. */
export interface ProcessFiles {
  readonly pids: () => Promise<readonly number[]>;
  /** The environment of a process; empty for one of another user, for one that has ended, and for one that starts. */
  readonly environment: (pid: number) => Promise<string>;
  /** Whether a process is between its old program and a new one: it has arguments and an environment in a moment. */
  readonly isStarting: (pid: number) => Promise<boolean>;
}

/** Threads of the kernel have no environment either. */
const kernelThread = 0x20_0000;

const processFiles: ProcessFiles = {
  pids: async () => (await readdir('/proc')).map(Number).filter(Number.isInteger),
  environment: pid => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
  isStarting: async pid => {
    try {
      if ((await readFile(`/proc/${pid}/cmdline`, 'latin1')) !== '') return false;
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
      const [state = 'X', ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return !'ZX'.includes(state) && (Number(numbers[5]) & kernelThread) === 0;
    } catch {
      // It has ended.
      return false;
    }
  },
};

/** Lists processes with `ps` on a system without `/proc`, where the environment of system programs is hidden. */
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

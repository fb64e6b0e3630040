import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The state of a process as the operating system shows it. */
interface ShownState {
  /** Begins with Z or X when the process has ended and was not reaped. */
  readonly state: string;
  /** Its start time, in the format of the operating system. */
  readonly start: string;
}

/** Returns the start time of a process, to detect reused ids; undefined when the system does not show the process. */
export function findProcessStart(pid: number): string | undefined {
  return showProcess(pid)?.start;
}

/**
 * Whether a process runs, and with a start whether it is the one that started then. One that has ended and was not
 * collected by its parent does not run.
 */
export function isRunning(pid: number, start?: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const shown = showProcess(pid);
  if (shown === undefined) return true;
  return !/^[ZX]/.test(shown.state) && (start === undefined || start === shown.start);
}

function showProcess(pid: number): ShownState | undefined {
  return process.platform === 'linux' ? readFromProc(pid) : readWithPs(pid);
}

function readFromProc(pid: number): ShownState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[0], fields[19]];
    return state === undefined || start === undefined ? undefined : { state, start };
  } catch {
    return undefined; // It is gone, or hidden from this user.
  }
}

/** Reads the state of a process on a system without `/proc`. */
export function readWithPs(pid: number): ShownState | undefined {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env, encoding: 'latin1' });
  const [state, ...start] = stdout?.trim().split(/\s+/) ?? [];
  return state && start.length > 0 ? { state, start: start.join('-') } : undefined;
}

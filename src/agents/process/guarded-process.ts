import { defined } from '../../base/defined.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { signalGroup } from './process-group.ts';
import { processGuard } from './process-guard.ts';
import { currentTraceparent } from '../trace-scope.ts';
import { childVariable, runVariable, traceVariable } from './process-marks.ts';

export interface GuardedOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The working directory. Default: that of this process. */
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An open file, a pipe, or no input. */
  readonly stdin: number | 'pipe' | 'ignore';
  /** Marks it as a process of a run, so that a takeover of the run ends it. */
  readonly runMark?: string | undefined;
}

export interface GuardedProcess extends ChildProcess {
  /** The value of `SINGLETREE_CHILD` for the process and its descendants. */
  readonly mark: string;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Starts a program as the leader of a process group that never outlives this process: the guard ends the group when
 * this process is gone. The whole group has ended once it emits `close`. Fails as `spawn` of Node does.
 */
export function startGuarded({ command, args, cwd, env, stdin, runMark }: GuardedOptions): GuardedProcess {
  const number = processGuard.announce();
  const mark = processGuard.getMark(number);
  const marks = {
    [childVariable]: mark,
    // Include the mark of the outer run when this process was started by another run.
    ...defined({ [traceVariable]: currentTraceparent() }),
    ...(runMark !== undefined && { [runVariable]: [runMark, process.env[runVariable] ?? ''].join(' ').trim() }),
  };
  let child: GuardedProcess;
  try {
    const options = { env: { ...env, ...marks }, detached: true, ...defined({ cwd }) };
    child = Object.assign(spawn(command, [...args], { ...options, stdio: [stdin, 'pipe', 'pipe'] }), {
      mark,
    }) as GuardedProcess;
  } catch (error) {
    processGuard.release(number);
    throw error;
  }
  if (child.pid === undefined) processGuard.release(number);
  else processGuard.started(number, child.pid);
  child.once('close', () => {
    if (child.pid === undefined) return;
    signalGroup(child, 'SIGKILL');
    processGuard.release(number);
  });
  return child;
}

import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { type GuardedProcess, startGuarded } from '../process/guarded-process.ts';
import { signalGroup, stopGroup } from '../process/process-group.ts';
import { StartedProcesses } from '../process/orphaned-processes.ts';

/** The stream that a command writes to. */
export type OutputStream = 'stdout' | 'stderr';

export interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Marks it as a process of a run, so that a takeover of the run ends it. */
  readonly runMark?: string | undefined;
  readonly onOutput?: (chunk: Uint8Array, stream: OutputStream) => void;
}

/** The result of a command. */
export interface CommandEnd {
  /** The exit code as a shell reports it: 128 plus the number of the signal that ended it, 124 after a timeout. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
  readonly timedOut: boolean;
}

/** The time for further output after the shell has exited, while another process holds its streams. */
const drainMs = 500;
/** The delay between the signals that stop a process. */
const stopStepMs = 2_000;

/**
 * Runs a command with a shell in its own process group. It ends when the shell exits; background processes of the shell
 * end with it. On abort it rejects with the reason as soon as everything that it started is gone.
 */
export function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { command, cwd, env, signal, timeoutMs, runMark, onOutput } = options;
  signal.throwIfAborted();
  const child = startGuarded({ command: shell, args: ['-c', command], cwd, env, stdin: 'ignore', runMark });
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => onOutput?.(chunk, name));
    // Ends the output; the exit of the shell is reported instead.
    child[name].on('error', () => {});
  }
  let callOff: (() => void) | undefined;
  let timedOut = false;
  const stop = () => (callOff ??= stopGroup(child, stopStepMs));
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });

  return ended(child)
    .finally(() => {
      clearTimeout(timer);
      callOff?.();
      signal.removeEventListener('abort', stop);
    })
    .then(async end => {
      if (callOff !== undefined) await new StartedProcesses(child).end();
      if (!timedOut) signal.throwIfAborted();
      return { ...end, timedOut, exitCode: timedOut ? 124 : end.exitCode };
    });
}

const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

function ended(child: GuardedProcess): Promise<{ exitCode: number; signal?: NodeJS.Signals }> {
  return new Promise((resolve, reject) => {
    let drain: ReturnType<typeof setTimeout> | undefined;
    child.once('error', reject);
    child.once('exit', () => {
      signalGroup(child, 'SIGTERM');
      drain = setTimeout(() => {
        signalGroup(child, 'SIGKILL');
        child.stdout.destroy();
        child.stderr.destroy();
      }, drainMs);
    });
    child.once('close', (code, signal) => {
      clearTimeout(drain);
      if (signal === null) resolve({ exitCode: code ?? 1 });
      else resolve({ exitCode: 128 + constants.signals[signal], signal });
    });
  });
}

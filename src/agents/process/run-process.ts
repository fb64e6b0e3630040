import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { defined } from '../../base/defined.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { withInputFile } from './input-file.ts';
import { type LinePiece, LineReader } from './line-reader.ts';
import { signalGroup, stopGroup } from './process-group.ts';
import { StartedProcesses } from './orphaned-processes.ts';

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Marks it as a process of a run, so that a takeover of the run ends it. */
  readonly runMark?: string | undefined;
  /** The content of stdin; closed at once when absent. */
  readonly input?: string;
  /** Whether stdin is a file instead of a pipe. */
  readonly inputIsFile?: boolean;
  /** Whether stdin stays open for messages. */
  readonly isInteractive?: boolean;
  /** Whether it works in turns, as `rest` and `work` report them: its exit ends no turn. */
  readonly hasTurns?: boolean;
  readonly signal?: AbortSignal;
  /** The time limit, in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /** The time limit without output, in milliseconds. Default: none. */
  readonly idleTimeoutMs?: number;
  /** Whether it reported its end: it is stopped some time after. */
  readonly isFinished?: () => boolean;
  /** That time, in milliseconds. */
  readonly settleMs?: number;
  /** The delay between the stop signals, in milliseconds. */
  readonly stopStepMs: number;
}

/** A line that a process printed. */
export interface ProcessLine extends LinePiece {
  readonly stream: 'stdout' | 'stderr';
}

/** The result of a process. */
export interface ProcessExit {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  /** The reason it was stopped, when we stopped it. */
  readonly stopped?: { readonly reason: 'aborted' | 'timeout'; readonly message: string };
  /** Why it never ran. */
  readonly failedToStart?: NodeJS.ErrnoException;
}

/** The limit of buffered bytes: above it the process has to wait for the reader. */
const mostWaiting = 1024 * 1024;
/** The time for further output after the process has exited, while another process holds its streams. */
const drainMs = 1_000;

/**
 * Runs a program in its own process group, without a shell, yields its lines as they arrive, and returns its result. A
 * reader that stops early stops the program. When it returns, the whole group has ended; unless the program reported its
 * end or succeeded, everything it started has.
 */
export async function* runProcess(options: ProcessOptions): AsyncGenerator<ProcessLine, ProcessExit> {
  const run = new ProcessRun(options);
  try {
    for (let line = await run.next(); line !== undefined; line = await run.next()) yield line;
    return await run.exit;
  } finally {
    await run.dispose();
  }
}

/** A running program: its lines are read at the reader's pace. */
export class ProcessRun {
  readonly exit: Promise<ProcessExit>;
  readonly #options: ProcessOptions;
  readonly #child: GuardedProcess;
  readonly #started: StartedProcesses;
  readonly #streams: readonly Readable[];
  readonly #lines: ProcessLine[] = [];
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #waiting = 0;
  #isClosed = false;
  #wake: () => void = () => {};
  #stopped: ProcessExit['stopped'];
  #isSettled = false;
  /** Whether the program works, as opposed to a wait for its next turn. */
  #isWorking = true;
  #callOff: (() => void) | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { command, args, cwd, env, runMark, input, inputIsFile, isInteractive, signal } = options;
    // Some programs read their working directory from PWD, which a shell would set.
    const surroundings = { ...env, PWD: resolve(cwd) };
    const start = (stdin: 'ignore' | 'pipe' | number) =>
      startGuarded({ command, args, cwd, env: surroundings, stdin, runMark });
    if (input === undefined) this.#child = start(isInteractive === true ? 'pipe' : 'ignore');
    else this.#child = inputIsFile === true ? withInputFile(input, start) : start('pipe');
    this.#started = new StartedProcesses(this.#child);
    // Writing to a program that has ended fails; its exit is reported instead.
    this.#child.stdin?.on('error', () => {});
    if (isInteractive !== true) this.#child.stdin?.end(input);
    this.#streams = [this.#read('stdout'), this.#read('stderr')];
    this.exit = this.#watch();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted === true) this.#onAbort();
    this.#limit('wall', options.timeoutMs, () => this.#timeOut('ran', options.timeoutMs));
    this.#limit('idle', options.idleTimeoutMs, () => this.#timeOut('was silent', options.idleTimeoutMs));
  }

  /** Returns the next line; undefined at the end. */
  async next(): Promise<ProcessLine | undefined> {
    this.#settleWhenFinished();
    while (this.#lines.length === 0 && !this.#isClosed) await new Promise<void>(resolve => (this.#wake = resolve));
    const line = this.#lines.shift();
    this.#waiting -= line?.bytes.length ?? 0;
    if (this.#waiting < mostWaiting) for (const stream of this.#streams) stream.resume();
    return line;
  }

  /** Whether the program is still running. */
  get isRunning(): boolean {
    return !this.#isClosed && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Writes to the program; rejects when it reads no more. */
  send(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const { stdin } = this.#child;
      if (stdin?.writable === true) stdin.write(text, error => (error ? reject(error) : resolve()));
      else reject(new Error('The program reads no more.'));
    });
  }

  /** Closes its input. */
  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Whether this process stays alive as long as the program runs. */
  keepAlive(isKept: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const each of [this.#child, stdin, stdout, stderr] as readonly unknown[])
      if (isReferenced(each)) each[isKept ? 'ref' : 'unref']();
  }

  /** Registers that the program is ready for its first turn: running processes are not part of a turn. */
  async ready(): Promise<void> {
    await this.#started.keepProgram();
  }

  /** Registers that a turn begins. */
  work(): void {
    this.#isWorking = true;
  }

  /** Registers the normal end of a turn: processes that still run may continue. */
  async rest(): Promise<void> {
    this.#isWorking = false;
    await this.#started.leave();
  }

  /** Returns whether all processes of a stopped turn have ended; if so, the program is idle until its next turn. */
  async isIdle(): Promise<boolean> {
    const isIdle = await this.#started.areOver();
    if (isIdle) this.#isWorking = false;
    return isIdle;
  }

  /** Stops the process if it is running and waits until it has ended. */
  async dispose(): Promise<void> {
    if (!this.#isClosed) {
      this.#stop({ reason: 'aborted', message: 'The reader stopped.' });
      for (const stream of this.#streams) stream.resume();
    }
    await this.exit;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  readonly #onAbort = (): void => this.#stop({ reason: 'aborted', message: 'The run was aborted.' });

  #read(name: 'stdout' | 'stderr'): Readable {
    const stream = this.#child[name];
    const reader = new LineReader();
    const take = (pieces: readonly LinePiece[]) => {
      for (const piece of pieces) {
        this.#lines.push({ ...piece, stream: name });
        this.#waiting += piece.bytes.length;
      }
      if (this.#waiting >= mostWaiting) for (const each of this.#streams) each.pause();
      this.#wake();
    };
    stream.on('data', (chunk: Buffer) => {
      const { idleTimeoutMs } = this.#options;
      this.#limit('idle', idleTimeoutMs, () => this.#timeOut('was silent', idleTimeoutMs));
      take(reader.push(chunk));
    });
    stream.on('close', () => take(reader.end()));
    // A stream that fails is closed, which ends its last line.
    stream.on('error', () => {});
    return stream;
  }

  #watch(): Promise<ProcessExit> {
    return new Promise(resolve => {
      this.#child.once('error', (failedToStart: NodeJS.ErrnoException) => this.#close(resolve, { failedToStart }));
      this.#child.once('exit', () => {
        signalGroup(this.#child, 'SIGTERM');
        this.#drain();
      });
      this.#child.once('close', (exitCode, signal) => {
        const exit = this.#isSettled ? { exitCode: 0 } : { exitCode, signal };
        const end = { ...exit, ...defined({ stopped: this.#stopped }) };
        this.#close(() => void this.#endStarted(end).finally(() => resolve(end)), end);
      });
    });
  }

  /** Ends the processes that the program started, except after a normal end. */
  async #endStarted({ exitCode, stopped }: ProcessExit): Promise<void> {
    const { hasTurns = false, isFinished = () => false } = this.#options;
    const isNormal = hasTurns ? !this.#isWorking : isFinished() || (exitCode === 0 && stopped === undefined);
    // Where processes cannot be listed, those outside its group end with this process, by the guard.
    if (!isNormal) await this.#started.end().catch(() => {});
  }

  /** Reads the remaining output at the reader's pace; closes streams that other processes only hold open. */
  #drain(): void {
    this.#limit('drain', drainMs, () => {
      if (this.#streams.some(stream => stream.isPaused())) {
        this.#drain();
        return;
      }
      signalGroup(this.#child, 'SIGKILL');
      for (const stream of this.#streams) stream.destroy();
    });
  }

  #close(resolve: (exit: ProcessExit) => void, exit: ProcessExit): void {
    this.#callOff?.();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#isClosed = true;
    resolve(exit);
    this.#wake();
  }

  /** Output after the end of a turn restarts the timer: the program may not be done yet. */
  #settleWhenFinished(): void {
    const settleMs = this.#options.isFinished?.() === true ? this.#options.settleMs : undefined;
    this.#limit('settle', settleMs, () => {
      this.#isSettled = true;
      this.#stop(undefined);
    });
  }

  #timeOut(did: string, ms = 0): void {
    const { command } = this.#options;
    this.#stop({
      reason: 'timeout',
      message: `${command} ${did} for ${ms / 1000} s, which is its limit, and was stopped.`,
    });
  }

  #stop(stopped: ProcessExit['stopped']): void {
    if (this.#callOff !== undefined) return;
    this.#stopped = stopped;
    // The work of a turn does not wait for the end of the program, after which it is ended again.
    if (this.#options.hasTurns === true && this.#isWorking) void this.#started.end().catch(() => {});
    this.#callOff = stopGroup(this.#child, this.#options.stopStepMs);
  }

  #limit(name: string, ms: number | undefined, act: () => void): void {
    clearTimeout(this.#timers.get(name));
    if (ms !== undefined && !this.#isClosed) this.#timers.set(name, setTimeout(act, ms));
  }
}

/** Whether it can keep this process alive: pipes are sockets in fact. */
function isReferenced(value: unknown): value is { ref(): void; unref(): void } {
  return typeof value === 'object' && value !== null && 'ref' in value && 'unref' in value;
}

import { type ProcessExit, type ProcessLine, ProcessRun } from '../../process/run-process.ts';
import type { ServeSettings } from '../contract/live-channel.ts';

/** The options for starting a program. */
export interface TransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Marks it as a process of a run, so that a takeover of the run ends it. */
  readonly runMark?: string | undefined;
  /** The delay between the stop signals, in milliseconds. */
  readonly stopStepMs: number;
  /** How the requests to a local server are authenticated. */
  readonly serve?: ServeSettings | undefined;
}

/** Carries the messages of a channel to a running program and back. */
export interface ChannelTransport {
  /** Whether the program is still running. */
  readonly isRunning: boolean;
  /** Resolves when the program has ended; never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** Sends one message; does nothing when the program has ended. */
  send(message: string): void;
  /** Returns the next message of the program, or a line of its stderr; undefined at the end. */
  next(): Promise<ProcessLine | undefined>;
  /** Whether this process stays alive as long as the program runs. */
  keepAlive(isKept: boolean): void;
  /** The turns of the program, which decide about the processes that it started. */
  readonly turns: Pick<ProcessRun, 'ready' | 'work' | 'rest' | 'isIdle'>;
  /** Ends the program with its whole process group, and with the work of an open turn, and waits for it. */
  dispose(): Promise<void>;
}

/** Starts a program whose messages are the lines of its standard input and output. */
export function stdioTransport(options: TransportOptions): ChannelTransport {
  const run = new ProcessRun({ ...options, isInteractive: true, hasTurns: true });
  return {
    get isRunning() {
      return run.isRunning;
    },
    exit: run.exit,
    // A program that no longer reads has ended or is ending: its exit is reported instead.
    send: message => void run.send(`${message}\n`).catch(() => {}),
    next: () => run.next(),
    keepAlive: isKept => run.keepAlive(isKept),
    turns: run,
    dispose: () => run.dispose(),
  };
}

import type { Clock } from '../../clock.ts';
import { RunDetached } from '../../run-detached.ts';
import type { TimeLimit } from '../../run/time-limit.ts';
import type { RunProblems } from './run-problems.ts';
import type { RunProgram } from './run-program.ts';

/** How long a program may take to settle after an interrupt before it is ended, in milliseconds. */
const settleMs = 5_000;

interface RunStopOptions {
  /** The name of the program, for people. */
  readonly name: string;
  /** The longest silence of the program in a turn, in milliseconds. */
  readonly idleTimeoutMs: number | undefined;
  readonly clock: Clock;
  /** Aborts when a person stops the run, or its time is up. */
  readonly limit: TimeLimit;
  /** The signal of the caller, with its reason. */
  readonly signal: AbortSignal;
  readonly program: RunProgram;
  readonly problems: RunProblems;
  /** Whether the program is expected to write something. */
  readonly isWorking: () => boolean;
  /** Stops the decisions on open requests. */
  readonly abortRequests: () => void;
  /** Ends the open turn without waiting for the program. */
  readonly endTurn: () => void;
}

/** Stops a run before its end: for a person, at its time limit, or because its program is silent. */
export class RunStop {
  readonly #options: RunStopOptions;
  #reason: 'aborted' | 'timeout' | undefined;
  #cancelSettling = () => {};
  #cancelSilence = () => {};

  constructor(options: RunStopOptions) {
    this.#options = options;
  }

  /** Why the run was stopped; undefined when it was not. */
  get reason(): 'aborted' | 'timeout' | undefined {
    return this.#reason;
  }

  /**
   * Interrupts the turn. The program is ended when it does not settle, when its session is not open yet, or when the run
   * continues in another process.
   */
  stop(reason: 'aborted' | 'timeout' = this.#options.limit.over ? 'timeout' : 'aborted'): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const { abortRequests, clock, program, signal } = this.#options;
    abortRequests();
    if (!program.isOpen || signal.reason instanceof RunDetached) {
      this.#endProgram();
      return;
    }
    program.session?.channel.interrupt();
    this.#cancelSettling = clock.after(settleMs, () => this.#endProgram());
  }

  /** Begins to measure the silence of the program anew; not while a person is asked. */
  watchSilence(): void {
    const { clock, idleTimeoutMs, isWorking, name, problems } = this.#options;
    this.#cancelSilence();
    if (idleTimeoutMs === undefined || !isWorking()) return;
    this.#cancelSilence = clock.after(idleTimeoutMs, () => {
      const message = `${name} was silent for ${idleTimeoutMs / 1000} s, which is its limit, and was stopped.`;
      void problems.report({ message, code: 'timeout' });
      this.stop('timeout');
    });
  }

  /** Cancels all timers. */
  clear(): void {
    this.#cancelSettling();
    this.#cancelSilence();
  }

  #endProgram(): void {
    void this.#options.program.session?.dispose();
    this.#options.endTurn();
  }
}

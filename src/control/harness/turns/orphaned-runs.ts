import { SingletreeError } from '../../../events/index.ts';
import type { Clock } from '../../supervision/clock.ts';
import { usualLeaseMs } from '../../supervision/supervisor.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import type { Runs } from './runs.ts';
import { newTurn, type Turn, type Turns } from './turns.ts';

export interface LeftRunsOptions {
  readonly runs: Runs;
  readonly turns: Turns;
  readonly clock: Clock;
  /** The thread that is open. */
  readonly thread: () => OpenThread | undefined;
  /** Works while nothing else changes what is open and what runs. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
  /** Told of a turn that goes on with what was left open. */
  readonly onTurn: (turn: Turn, thread: OpenThread) => void;
}

/** Runs of the open thread that were not begun here: one that no process has goes on here. */
export class LeftRuns {
  readonly #options: LeftRunsOptions;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LeftRunsOptions) {
    this.#options = options;
  }

  /** Goes on with what a process left open, if no other has it. To be called alone. */
  async continue(): Promise<void> {
    const { runs, turns, onTurn } = this.#options;
    const thread = this.#options.thread();
    if (thread === undefined || turns.current !== undefined) return;
    const left = await runs.left(thread);
    // What was sent meanwhile goes on with it.
    if (left.length === 0 || turns.current !== undefined || this.#options.thread() !== thread) return;
    const turn = newTurn();
    onTurn(turn, thread);
    try {
      await turns.adopt(turn, () => runs.takeUp(thread, turn, { left }));
    } catch (error) {
      if (!SingletreeError.is(error, 'lease_held')) throw error;
    }
  }

  /** Ends what is open in a thread, whichever process owns it. To be called alone. */
  async end(thread: OpenThread): Promise<void> {
    const { runs, turns } = this.#options;
    if (this.#options.thread() !== thread) return;
    if ((turns.current?.handles.length ?? 0) > 0) return turns.abort();
    await runs.stopAll(thread);
  }

  /** Follows what runs in the open thread, and looks again after a while: the process that has it may go away. */
  watch(): void {
    const thread = this.#options.thread();
    if (this.#isClosed || thread === undefined || thread.projection.runs.size === 0) return;
    thread.follow();
    this.#stopTimer ??= this.#options.clock.after(usualLeaseMs, () => this.#look());
  }

  /** Looks no more, until something is to be watched again. */
  rest(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** Looks no more, for good. */
  close(): void {
    this.#isClosed = true;
    this.rest();
  }

  /** What cannot be had now may be later. */
  #look(): void {
    this.#stopTimer = undefined;
    const watch = () => this.watch();
    void this.#options.alone(() => this.continue()).then(watch, watch);
  }
}

import { SingletreeError } from '../../../events/index.ts';
import type { Clock } from '../../supervision/clock.ts';
import { defaultLeaseMs } from '../../supervision/supervisor-options.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import type { Runs } from './runs.ts';
import { newTurn, type Turn, type Turns } from './turns.ts';

export interface OrphanedRunsOptions {
  readonly runs: Runs;
  readonly turns: Turns;
  readonly clock: Clock;
  /** The thread that is open. */
  readonly thread: () => OpenThread | undefined;
  /** Works while nothing else changes what is open and what runs. */
  readonly runExclusive: (work: () => Promise<void>) => Promise<void>;
  /** Told of a turn that goes on with what was left open. */
  readonly onTurn: (turn: Turn, thread: OpenThread) => void;
}

/** Runs of the open thread that were not begun here: one that no process has goes on here. */
export class OrphanedRuns {
  readonly #options: OrphanedRunsOptions;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(options: OrphanedRunsOptions) {
    this.#options = options;
  }

  /** Goes on with what a process left open, if no other has it. To be called alone. */
  async resume(): Promise<void> {
    const { runs, turns, onTurn } = this.#options;
    const thread = this.#options.thread();
    if (thread === undefined || turns.current !== undefined) return;
    const openRuns = await runs.openRuns(thread);
    // What was sent meanwhile goes on with it.
    if (openRuns.length === 0 || turns.current !== undefined || this.#options.thread() !== thread) return;
    const turn = newTurn();
    onTurn(turn, thread);
    try {
      await turns.adopt(turn, () => runs.resume(thread, turn, { openRuns }));
    } catch (error) {
      if (!SingletreeError.is(error, 'lease_held')) throw error;
    }
  }

  /** Ends what is open in a thread, whichever process owns it. To be called alone. */
  async abort(thread: OpenThread): Promise<void> {
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
    this.#stopTimer ??= this.#options.clock.after(defaultLeaseMs, () => this.#check());
  }

  /** Looks no more, until something is to be watched again. */
  stopWatching(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** Looks no more, for good. */
  close(): void {
    this.#isClosed = true;
    this.stopWatching();
  }

  /** What cannot be had now may be later. */
  #check(): void {
    this.#stopTimer = undefined;
    const watch = () => this.watch();
    void this.#options.runExclusive(() => this.resume()).then(watch, watch);
  }
}

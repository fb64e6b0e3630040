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
  /** The open thread. */
  readonly thread: () => OpenThread | undefined;
  /** Runs work exclusively: no other command changes threads or runs meanwhile. */
  readonly runExclusive: (work: () => Promise<void>) => Promise<void>;
  /** Called with a turn that resumes orphaned runs. */
  readonly onTurn: (turn: Turn, thread: OpenThread) => void;
}

/** Runs of the open thread that were not started here: a run without an owner is resumed here. */
export class OrphanedRuns {
  readonly #options: OrphanedRunsOptions;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(options: OrphanedRunsOptions) {
    this.#options = options;
  }

  /** Resumes the runs that no live process owns. Call it exclusively. */
  async resume(): Promise<void> {
    const { runs, turns, onTurn } = this.#options;
    const thread = this.#options.thread();
    if (thread === undefined || turns.current !== undefined) return;
    const openRuns = await runs.openRuns(thread);
    // A message that was sent meanwhile resumes them.
    if (openRuns.length === 0 || turns.current !== undefined || this.#options.thread() !== thread) return;
    const turn = newTurn();
    onTurn(turn, thread);
    try {
      await turns.adopt(turn, () => runs.resume(thread, turn, { openRuns }));
    } catch (error) {
      if (!SingletreeError.is(error, 'lease_held')) throw error;
    }
  }

  /** Aborts the open runs of a thread, whichever process owns them. Call it exclusively. */
  async abort(thread: OpenThread): Promise<void> {
    const { runs, turns } = this.#options;
    if (this.#options.thread() !== thread) return;
    if ((turns.current?.handles.length ?? 0) > 0) return turns.abort();
    await runs.stopAll(thread);
  }

  /** Follows the open thread while it has runs, and checks later whether their owner is gone. */
  watch(): void {
    const thread = this.#options.thread();
    if (this.#isClosed || thread === undefined || thread.projection.runs.size === 0) return;
    thread.follow();
    this.#stopTimer ??= this.#options.clock.after(defaultLeaseMs, () => this.#check());
  }

  /** Stops checking until the next `watch`. */
  stopWatching(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** Stops checking for good. */
  close(): void {
    this.#isClosed = true;
    this.stopWatching();
  }

  /** A run whose lease is held now may be free at the next check. */
  #check(): void {
    this.#stopTimer = undefined;
    const watch = () => this.watch();
    void this.#options.runExclusive(() => this.resume()).then(watch, watch);
  }
}

import type { Clock } from '../../agents/clock.ts';
import { errorText } from '../../base/error-text.ts';

export interface StoreWatchOptions {
  /** Resolves when the store can be used, and rejects when it cannot. */
  readonly probe: () => Promise<unknown>;
  readonly clock: Clock;
  /** Called with the reason when the store becomes unavailable, and with undefined when it is available again. */
  readonly onChange: (problem: string | undefined) => void;
}

/** How often the store is tried, and how long an answer may take, in milliseconds. */
const everyMs = 2_000;
const slowMs = 4_000;

/** Watches whether the store of a chat can be used, also while nothing is read or stored; reports each change once. */
export class StoreWatch {
  readonly #options: StoreWatchOptions;
  #problem: string | undefined;
  #stopTimer: () => void = () => {};
  #isStopped = false;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  #wait(): void {
    this.#stopTimer = this.#options.clock.after(everyMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { probe, clock } = this.#options;
    const stopSlow = clock.after(slowMs, () => this.#report('It does not answer.'));
    try {
      await probe();
      this.#report(undefined);
    } catch (error) {
      this.#report(errorText(error));
    } finally {
      stopSlow();
    }
    if (!this.#isStopped) this.#wait();
  }

  #report(problem: string | undefined): void {
    const isNew = (problem === undefined) !== (this.#problem === undefined);
    this.#problem = problem;
    if (isNew && !this.#isStopped) this.#options.onChange(problem);
  }
}

/** Returns what a person reads when the store cannot be used, and without a problem when it can again. */
export function storeText(problem: string | undefined): string {
  return problem === undefined ? 'The store can be used again.' : `The store cannot be used. ${problem}`;
}

import type { Clock } from '../../../agents/clock.ts';
import { ownerCheckMs } from '../../supervision/leases.ts';

/** One timer that waits for the end of another process, or for a time to pass. */
export class Watch {
  readonly #clock: Clock;
  readonly #hasEnded: () => Promise<boolean>;
  #stopTimer: (() => void) | undefined;

  /** `hasEnded` returns whether that process has ended; a check that fails counts as no end. */
  constructor(clock: Clock, hasEnded: () => Promise<boolean>) {
    this.#clock = clock;
    this.#hasEnded = hasEnded;
  }

  get isActive(): boolean {
    return this.#stopTimer !== undefined;
  }

  /** Calls back once, when the process has ended, and after this time in any case: its lease may have expired. */
  start(ms: number, onDue: () => void): void {
    const check = async () => {
      // The next check asks again.
      const isDue = ms <= ownerCheckMs || (await this.#hasEnded().catch(() => false));
      if (this.#stopTimer !== timer) return;
      this.#stopTimer = undefined;
      if (isDue) onDue();
      else this.start(ms - ownerCheckMs, onDue);
    };
    const timer = this.#clock.after(ownerCheckMs, () => void check());
    this.#stopTimer = timer;
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

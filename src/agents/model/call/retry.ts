import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelFailure } from './failure.ts';

export interface RetryOptions {
  /** How often a failed call is made again; 4 when absent. */
  readonly maxRetries?: number;
  /** The wait before the first retry in milliseconds, doubled each time; 500 when absent. */
  readonly baseMs?: number;
  /** The longest wait; 30,000 when absent. A longer wait that the service asks for is not made: the call has failed. */
  readonly maxMs?: number;
  /** A number from 0 to 1, for jitter. */
  readonly random?: () => number;
  /** Waits, and rejects when the signal aborts. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** When and how a failed model call is made again. */
export class RetryPolicy {
  readonly #options: Required<RetryOptions>;

  constructor(options: RetryOptions = {}) {
    this.#options = {
      maxRetries: 4,
      baseMs: 500,
      maxMs: 30_000,
      random: Math.random,
      delay: (ms, signal) => sleep(ms, undefined, { signal }),
      ...options,
    };
  }

  /** How long to wait before retry number `attempt` (from 0), or undefined when the call has failed for good. */
  waitFor(failure: ModelFailure, attempt: number): number | undefined {
    const { maxRetries, baseMs, maxMs, random } = this.#options;
    if (!failure.retryable || attempt >= maxRetries) return undefined;
    if (failure.retryAfterMs !== undefined) return failure.retryAfterMs <= maxMs ? failure.retryAfterMs : undefined;
    return Math.round(Math.min(maxMs, baseMs * 2 ** attempt) * (0.75 + random() / 2));
  }

  wait(ms: number, signal: AbortSignal): Promise<unknown> {
    return this.#options.delay(ms, signal);
  }
}

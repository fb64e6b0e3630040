import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelFailure } from './failure.ts';

export interface RetryOptions {
  /** The number of retries of a failed call. Default: 4. */
  readonly maxRetries?: number;
  /** The delay before the first retry in milliseconds, doubled each time. Default: 500. */
  readonly baseMs?: number;
  /** The longest delay. Default: 30,000. When the service asks for a longer one, the call fails. */
  readonly maxMs?: number;
  /** A number from 0 to 1, for jitter. */
  readonly random?: () => number;
  /** Waits, and rejects when the signal aborts. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** The retry policy of model calls. */
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

  /** Returns the delay before retry number `attempt` (from 0), or undefined when the call has failed for good. */
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

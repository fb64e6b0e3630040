import type { RetryOptions } from '../../contract/model.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelFailure } from './failure.ts';

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

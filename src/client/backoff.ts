/** What waiting needs from outside. */
export interface Backoff {
  /** Resolves after the time, or at once when the signal aborts. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
}

const firstMs = 250;
const longestMs = 10_000;

/**
 * How long to wait after so many failures in a row: twice as long each time, up to a limit. Half of it is scaled by
 * `random`, from 0 to below 1, so that many clients do not come back at the same moment.
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
  return Math.round(full / 2 + (full / 2) * random);
}

/** Waits by a timer. */
export function timerDelay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

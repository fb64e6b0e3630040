import { type ErrorCode, SingletreeError } from '../base/singletree-error.ts';

/** The timer and random source of a backoff; tests replace them. */
export interface Backoff {
  /** Resolves after the time, or at once when the signal aborts. */
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

const firstMs = 250;
const longestMs = 10_000;

/**
 * Returns the delay after a number of consecutive failures: it doubles each time up to a limit. Half of it is scaled by
 * `random`, from 0 to below 1, so that many clients do not reconnect at the same moment.
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

const repetitions = 4;

/**
 * Repeats a request that has the same effect once or several times, while the server or its store cannot be reached;
 * rejects with the last error after a few seconds.
 */
export async function repeatWhileUnreachable<Result>(
  request: () => Promise<Result>,
  backoff: Backoff,
): Promise<Result> {
  for (let failures = 0; ; failures++)
    try {
      return await request();
    } catch (error) {
      if (failures >= repetitions || !isUnreachable(error)) throw error;
      await backoff.delay(backoffMs(failures, backoff.random()));
    }
}

const outages: ReadonlySet<string> = new Set([
  'server_unreachable',
  'store_unreachable',
  'log_closed',
  'lease_held',
] satisfies ErrorCode[]);

/** Whether the server, its store or the owner of the thread may answer later. */
function isUnreachable(error: unknown): boolean {
  return SingletreeError.is(error) && outages.has(error.code);
}

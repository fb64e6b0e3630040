import { type ErrorCode, SingletreeError } from '../base/singletree-error.ts';
import { type Backoff, backoffMs } from './backoff.ts';

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

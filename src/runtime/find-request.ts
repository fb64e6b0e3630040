import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { readRequests } from './requests.ts';

/** Where the events of a request begin. */
export interface RequestPlace {
  readonly runId: string;
  /** All its events have a higher seq. */
  readonly after: number;
}

/**
 * Returns the request of a run that a person asked for: the named one, else the newest of the thread. A named run may
 * have no events yet. Throws `run_not_found` when the thread has none.
 */
export async function findRequest(log: EventLog, thread: Thread, named?: string): Promise<RequestPlace> {
  const { id, seq } = thread;
  const requests = await readRequests(log, thread);
  const found = named === undefined ? requests.at(-1) : requests.find(({ runId }) => runId === named);
  if (found !== undefined) return { runId: found.runId, after: found.startSeq - 1 };
  if (named !== undefined) return { runId: named, after: seq };
  throw new SingletreeError('run_not_found', `Nothing was asked in the thread "${id}" yet: nothing to watch.`, {
    details: { threadId: id },
  });
}

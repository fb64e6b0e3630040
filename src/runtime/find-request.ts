import { threadEvents } from '../control/thread-events.ts';
import { SingletreeError } from '../events/index.ts';
import type { EventLog } from '../log/index.ts';

/** Where the events of a request begin. */
export interface RequestPlace {
  readonly runId: string;
  /** All its events have a higher seq. */
  readonly after: number;
}

/**
 * The request of a run that a person asked for: the one that is named, else the newest of the thread. A run that is
 * named may have no events yet. Throws `run_not_found` when the thread has none.
 */
export async function findRequest(log: EventLog, threadId: string, named?: string): Promise<RequestPlace> {
  const said = new Set<string>();
  let found: RequestPlace | undefined;
  let last = 0;
  for await (const event of threadEvents(log, threadId)) {
    last = event.seq;
    if (event.type === 'user') said.add(event.id ?? `${event.runId}:user`);
    if (event.type !== 'harness_start') continue;
    const { runId, parentId, seq } = event;
    const isAsked = parentId === undefined || said.has(parentId);
    if (isAsked && (named === undefined || runId === named)) found = { runId, after: seq - 1 };
  }
  if (found !== undefined) return found;
  if (named !== undefined) return { runId: named, after: last };
  throw new SingletreeError('run_not_found', `Nothing was asked in the thread "${threadId}" yet: nothing to watch.`, {
    details: { threadId },
  });
}

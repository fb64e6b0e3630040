import { SingletreeError } from '../../events/index.ts';
import type { EventLog, Thread } from '../../log/index.ts';
import { type OpenRun, openRunsOf } from './open-runs.ts';
import { processOwner } from './process-owner.ts';
import { acquireThreadLease } from './thread-lease.ts';

/** Returns the open run of a thread that a live process owns; undefined when there is none. */
export async function liveRunOf(log: EventLog, thread: Thread): Promise<OpenRun | undefined> {
  const [open] = openRunsOf(thread);
  if (open === undefined) return undefined;
  try {
    const request = { threadId: thread.id, owner: processOwner(), ttlMs: 1_000 };
    await log.releaseLease(await acquireThreadLease(log, request));
    return undefined;
  } catch (error) {
    if (SingletreeError.is(error, 'lease_held')) return open;
    throw error;
  }
}

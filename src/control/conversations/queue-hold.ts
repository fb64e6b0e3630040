import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';

/** How long a queue is held while somebody edits. */
const heldBy = { owner: 'queue editor', ttlMs: 60_000 };

function queueLease(threadId: string): string {
  return `queue:${threadId}`;
}

/** Holds the queue of a thread for a minute: nothing of it is delivered. Rejects with `lease_held` during a delivery. */
export async function holdQueue(log: EventLog, threadId: string): Promise<void> {
  await log.acquireLease(queueLease(threadId), heldBy);
}

/** Ends the hold of a queue. */
export async function releaseQueue(log: EventLog, threadId: string): Promise<void> {
  // During a delivery nobody holds it.
  const lease = await log.acquireLease(queueLease(threadId), heldBy).catch(() => undefined);
  if (lease !== undefined) await log.releaseLease(lease);
}

/** Whether a person edits the queue. */
export async function isQueueHeld(log: EventLog, threadId: string, owner: string): Promise<boolean> {
  try {
    // It ends at once by itself: a process that is killed here holds nothing.
    await log.releaseLease(await log.acquireLease(queueLease(threadId), { owner, ttlMs: 1 }));
    return false;
  } catch (error) {
    if (!SingletreeError.is(error, 'lease_held')) throw error;
    return error.details['owner'] === heldBy.owner;
  }
}

import type { EventLog, Lease } from '../../log/event-log.ts';
import { isEndedProcess } from './process-owner.ts';

/** The name of the lease that the owner of the runs of a thread holds. */
export function threadLease(threadId: string): string {
  return `thread:${threadId}`;
}

/** Takes the lease of a thread, at once when its owner was a process that has ended; else `lease_held`. */
export function acquireThreadLease(
  log: EventLog,
  { threadId, owner, ttlMs }: { readonly threadId: string; readonly owner: string; readonly ttlMs: number },
): Promise<Lease> {
  return log.acquireLease(threadLease(threadId), { owner, ttlMs, isGone: isEndedProcess });
}

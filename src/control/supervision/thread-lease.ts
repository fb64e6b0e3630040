import type { EventLog, Lease } from '../../log/index.ts';
import { isEndedProcess } from './process-owner.ts';

/** Takes the lease of a thread, at once when its owner was a process that has ended; else `lease_held`. */
export function acquireThreadLease(
  log: EventLog,
  { threadId, owner, ttlMs }: { readonly threadId: string; readonly owner: string; readonly ttlMs: number },
): Promise<Lease> {
  return log.acquireLease(`thread:${threadId}`, { owner, ttlMs, isGone: isEndedProcess });
}

import { SingletreeError } from '../../events/index.ts';
import type { EventLog, Thread } from '../../log/index.ts';
import { type OpenRun, openRunsOf } from './open-runs.ts';
import { isEndedProcess, processOwner } from './process-owner.ts';
import { acquireThreadLease } from './thread-lease.ts';

/** Returns the open run of a thread that a live process owns; undefined when there is none. */
export async function liveRunOf(log: EventLog, thread: Thread): Promise<OpenRun | undefined> {
  const [open] = openRunsOf(thread);
  if (open === undefined || hasEndedOwner(open)) return undefined;
  try {
    const request = { threadId: thread.id, owner: processOwner(), ttlMs: 1_000 };
    await log.releaseLease(await acquireThreadLease(log, request));
    return undefined;
  } catch (error) {
    // Nobody can run a thread of a log that cannot be written: its owner is the one that is known.
    if (SingletreeError.is(error, 'lease_held') || SingletreeError.is(error, 'log_unavailable')) return open;
    throw error;
  }
}

/** Returns the open run of a thread that no live process owns; undefined when there is none. */
export async function interruptedRunOf(log: EventLog, thread: Thread): Promise<OpenRun | undefined> {
  if (openRunsOf(thread).length === 0 || (await liveRunOf(log, thread)) !== undefined) return undefined;
  // It may have ended since the thread was read.
  const newest = await log.getThread(thread.id);
  return newest && openRunsOf(newest)[0];
}

/** Whether the owner of a run was a process of this machine that has ended. */
export function hasEndedOwner({ owner }: OpenRun): boolean {
  return owner !== undefined && isEndedProcess(owner);
}

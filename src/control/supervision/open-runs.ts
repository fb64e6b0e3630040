import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import type { RunRequested } from '../../log/open-things.ts';
import { isEndedProcess, threadLease } from './leases.ts';

/** A run that was requested and has no end. */
export interface OpenRun extends RunRequested {
  readonly runId: string;
  /** The process that started or resumed it, as named in leases. */
  readonly owner?: string;
}

/** The open runs of a thread, oldest first. */
export function listOpenRuns({ open = [] }: Pick<Thread, 'open'>): OpenRun[] {
  return open.flatMap(({ kind, id, request, owner }) =>
    kind === 'run' && request !== undefined ? [{ runId: id, ...request, ...(owner !== undefined && { owner }) }] : [],
  );
}

/** Finds the thread in which a run is open, in any process; only within the resource, if one is given. */
export async function threadOfOpenRun(log: EventLog, runId: string, resourceId?: string): Promise<Thread | undefined> {
  for await (const thread of allThreads(log, { open: 'run', resourceId }))
    if (listOpenRuns(thread).some(run => run.runId === runId)) return thread;
  return undefined;
}

/** Returns the first open run of a thread that no live process owns, or undefined. */
export async function findInterruptedRun(log: EventLog, thread: Thread): Promise<OpenRun | undefined> {
  if (listOpenRuns(thread).length === 0 || (await hasLiveOwner(log, thread))) return undefined;
  // It may have ended since the thread was read.
  const newest = await log.getThread(thread.id);
  return newest && listOpenRuns(newest)[0];
}

/**
 * Whether a live process owns the open runs of a thread: the holder of its lease. In a store that does not say who that
 * is, the process that requested or resumed a run, until it is known to have ended.
 */
async function hasLiveOwner(log: EventLog, thread: Thread): Promise<boolean> {
  if (log.leaseOwner === undefined)
    return listOpenRuns(thread).some(run => run.owner !== undefined && !hasEndedOwner(run));
  const owner = await log.leaseOwner(threadLease(thread.id));
  return owner !== undefined && !isEndedProcess(owner);
}

/** Whether the owner of a run was a process of this machine that has ended. */
export function hasEndedOwner({ owner }: OpenRun): boolean {
  return owner !== undefined && isEndedProcess(owner);
}

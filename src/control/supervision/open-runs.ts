import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import type { RunRequested } from '../../log/open-things.ts';

/** A run that was requested and has no end. */
export interface OpenRun extends RunRequested {
  readonly runId: string;
  /** The process that started or resumed it, as named in leases. */
  readonly owner?: string;
}

/** The open runs of a thread, oldest first. */
export function openRunsOf({ open = [] }: Pick<Thread, 'open'>): OpenRun[] {
  return open.flatMap(({ kind, id, request, owner }) =>
    kind === 'run' && request !== undefined ? [{ runId: id, ...request, ...(owner !== undefined && { owner }) }] : [],
  );
}

/** Finds the thread in which a run is open, in any process; only within the resource, if one is given. */
export async function threadOfOpenRun(log: EventLog, runId: string, resourceId?: string): Promise<Thread | undefined> {
  for await (const thread of allThreads(log, { open: 'run', resourceId }))
    if (openRunsOf(thread).some(run => run.runId === runId)) return thread;
  return undefined;
}

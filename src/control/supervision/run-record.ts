import { endOrphanedProcesses } from '../../agents/process/orphaned-processes.ts';
import { runMark } from '../../agents/process/process-marks.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { RunAdditions } from '../../events/run-additions.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { RunState } from '../../projections/run-state.ts';
import { readRun } from '../thread-record.ts';
import type { ActiveThread } from './active-thread.ts';
import type { OpenRun } from './open-runs.ts';

/** What the log has of a run when it is launched. */
export interface RunRecord {
  /** The state it resumes from; undefined for a new run. */
  readonly state: RunState | undefined;
  /** Whether somebody requested its end. */
  readonly isAborted: boolean;
  /** What the client that asked for it adds to its agent. */
  readonly additions?: RunAdditions | undefined;
}

/** The record of a run that begins. */
export const newRunRecord: RunRecord = { state: undefined, isAborted: false };

/**
 * Reads the record of an open run whose owner is gone, after the processes that it left are ended; from then on the
 * thread listens for answers.
 */
export async function readRunRecord(
  log: EventLog,
  thread: ActiveThread,
  { threadId, open: { runId, owner } }: { readonly threadId: string; readonly open: OpenRun },
): Promise<RunRecord> {
  await endOrphanedProcesses(runMark(owner, threadId, runId), { owner });
  await thread.startListening();
  let isAborted = false;
  let additions: RunAdditions | undefined;
  const state = await readRun(log, { threadId, runId }, (event: LoggedEvent) => {
    thread.take(event);
    if (event.type === 'abort_requested' && event.runId === runId) isAborted = true;
    if (event.type === 'run_requested' && event.runId === runId) ({ additions } = event);
  });
  return { state, isAborted, additions };
}

import { runMark, runVariable, threadMark } from '../../agents/process/process-marks.ts';
import { SingletreeError } from '../../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../../log/index.ts';
import { openRunsOf } from './open-runs.ts';

/** The header in which a command that a run started states the runs that it works for. */
export const runHeader = 'singletree-run';

/** The runs that this process works for; undefined when no run started it. */
export function ownRunMarks(): string | undefined {
  return process.env[runVariable];
}

/**
 * Throws `request_forbidden` when this process, or the one with these marks that asks it, was started by a run of a
 * thread, or by one below it: a person answers and writes to a run, not its own programs.
 */
export async function checkOutsideRuns(log: EventLog, thread: Thread, callerMarks = ''): Promise<void> {
  const given = `${ownRunMarks() ?? ''} ${callerMarks}`.trim();
  if (given === '') return;
  const marks = new Set(given.split(/\s+/).map(threadMark));
  const isInside = (other: Thread) =>
    openRunsOf(other).some(({ owner, runId }) => marks.has(threadMark(runMark(owner, other.id, runId))));
  let found = isInside(thread);
  if (!found)
    for await (const other of allThreads(log, { open: 'run', resourceId: thread.resourceId }))
      found ||= other.metadata['parentThreadId'] === thread.id && isInside(other);
  if (!found) return;
  throw new SingletreeError(
    'request_forbidden',
    'This was asked from inside the run itself: a person has to answer and write to it, from outside the run.',
    { details: { threadId: thread.id } },
  );
}

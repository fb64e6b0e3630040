import { runMark, runVariable, threadMark } from '../../agents/process/process-marks.ts';
import { SingletreeError } from '../../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../../log/index.ts';
import { openRunsOf } from './open-runs.ts';

/**
 * Throws `request_forbidden` when this process was started by a run of a thread, or by one below it: a person answers
 * what a run asks, not its own programs.
 */
export async function checkOutsideRuns(log: EventLog, thread: Thread): Promise<void> {
  const marks = new Set((process.env[runVariable] ?? '').split(' ').map(threadMark));
  const isInside = (other: Thread) =>
    openRunsOf(other).some(({ owner, runId }) => marks.has(threadMark(runMark(owner, other.id, runId))));
  let found = isInside(thread);
  if (!found && process.env[runVariable] !== undefined)
    for await (const other of allThreads(log, { open: 'run', resourceId: thread.resourceId }))
      found ||= other.metadata['parentThreadId'] === thread.id && isInside(other);
  if (!found) return;
  throw new SingletreeError(
    'request_forbidden',
    'This command was started by the run that asks: a person has to answer it, from outside the run.',
    { details: { threadId: thread.id } },
  );
}

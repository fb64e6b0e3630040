import { openRunsOf } from '../control/supervision/open-runs.ts';
import { SingletreeError } from '../events/index.ts';
import { type EventLog, readEvents } from '../log/index.ts';
import type { MessageReceipt } from '../protocols/index.ts';
import { followUpsOf } from './follow-ups.ts';

/** The `once` key under which a message with an id of its sender is appended. */
export function messageKey(id: string): string {
  return `message:${id}`;
}

/**
 * Returns the receipt of a message with this id that was received before, when an error can be the result of that: the
 * run that it went into or started, or the run that it waits for.
 */
export async function earlierReceipt(
  log: EventLog,
  threadId: string,
  id: string,
  error: unknown,
): Promise<MessageReceipt | undefined> {
  const seq = await earlierSeq(log, threadId, id, error);
  if (seq === undefined) return undefined;
  const [first] = await log.read(threadId, { after: Math.max(0, seq - 1), limit: 1 });
  if (first?.type === 'steer_requested' && first.id === id) return { runId: first.runId, steered: true };
  // Read before the events: a run or message that is not noted here is in them.
  const thread = await log.getThread(threadId);
  if (thread === undefined) return undefined;
  const waiting = followUpsOf(thread).find(({ message }) => message.id === id);
  if (waiting?.message.waitsFor !== undefined) return { runId: waiting.message.waitsFor, queued: true };
  const open = openRunsOf(thread);
  let cause: string | undefined;
  for await (const event of readEvents(log, threadId, Math.max(0, seq - 1))) {
    if (cause === undefined && event.type === 'user' && event.id === id) {
      cause = `${event.runId}:user`;
      const run = open.find(({ parentId }) => parentId === cause);
      if (run !== undefined) return { runId: run.runId };
    }
    if (cause !== undefined && event.type === 'harness_start' && event.parentId === cause)
      return { runId: event.runId };
  }
  return undefined;
}

/** The newest seq after the message was received; undefined when it was not. */
async function earlierSeq(log: EventLog, threadId: string, id: string, error: unknown): Promise<number | undefined> {
  if (SingletreeError.is(error, 'once_conflict')) return Number(error.details['seq']);
  // An edit is refused during the run that it started.
  if (!SingletreeError.is(error, 'run_under_way')) return undefined;
  return (await log.onceKeys?.(threadId))?.find(({ key }) => key === messageKey(id))?.seq;
}

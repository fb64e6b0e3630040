import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { messageKey } from '../supervision/turn-events.ts';
import type { SendReceipt } from './sent-message.ts';

/** How many events the request of a run has at most: a mode, the message, a folder, the request itself. */
const requestEvents = 4;

/**
 * Returns the receipt of a message with this id that was accepted before, when an error can be the result of that: the
 * run that it started or went into, or the run that it waits for.
 */
export async function earlierReceipt(
  log: EventLog,
  threadId: string,
  id: string,
  error: unknown,
): Promise<SendReceipt | undefined> {
  const seq = await earlierSeq(log, threadId, id, error);
  if (seq === undefined) return undefined;
  let receipt: SendReceipt | undefined;
  let cause: string | undefined;
  for await (const event of readEvents(log, threadId, Math.max(0, seq - requestEvents))) {
    if (event.type === 'message_queued' && event.id === id)
      receipt = { runId: event.waitsFor ?? '', ...(event.delivery === 'steer' ? { steered: true } : { queued: true }) };
    if (receipt?.steered === true) return receipt;
    if (cause === undefined && event.type === 'user' && event.id === id) cause = `${event.runId}:user`;
    const isRun = event.type === 'run_requested' || event.type === 'harness_start';
    if (cause !== undefined && isRun && event.parentId === cause) return { runId: event.runId };
  }
  return receipt;
}

/** The newest seq after the message was accepted; undefined when it was not. */
async function earlierSeq(log: EventLog, threadId: string, id: string, error: unknown): Promise<number | undefined> {
  if (SingletreeError.is(error, 'once_conflict')) return Number(error.details['seq']);
  // An edit is refused during the run that it started.
  if (!SingletreeError.is(error, 'run_under_way')) return undefined;
  return (await log.onceKeys?.(threadId))?.find(({ key }) => key === messageKey(id))?.seq;
}

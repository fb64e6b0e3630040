import { defined } from '../events/defined.ts';
import { SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import type { QueuedBody, QueuedMessage } from '../protocols/index.ts';
import { type FollowUp, markFollowUp, noFollowUp, queuedIn } from './follow-ups.ts';

const mostTries = 20;

/** Returns the messages that wait in a thread, in the order in which they are delivered. */
export function queueOf(thread: Thread): QueuedMessage[] {
  return queuedIn(thread).map(({ id, message: { content, agent, model, mode, by } }) => ({
    id,
    content,
    ...defined({ agent, model, mode, by }),
  }));
}

/** Replaces the content of a waiting message. Throws `not_found` when it does not wait any more. */
export async function changeQueued(
  log: EventLog,
  threadId: string,
  id: string,
  { content }: QueuedBody,
): Promise<void> {
  await whileQueued(log, threadId, id, ({ message }, expectedSeq) =>
    markFollowUp(log, threadId, { id, message: { ...message, content }, expectedSeq }),
  );
}

/** Removes a waiting message. Throws `not_found` when it does not wait any more. */
export async function removeQueued(log: EventLog, threadId: string, id: string): Promise<void> {
  await whileQueued(log, threadId, id, async (_, expectedSeq) => {
    await log.append(threadId, [], { metadata: noFollowUp(id), expectedSeq });
  });
}

/** Changes a waiting message; a delivery in between makes the change fail, so it is tried again with what is there. */
async function whileQueued(
  log: EventLog,
  threadId: string,
  id: string,
  change: (queued: FollowUp, expectedSeq: number) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const thread = await log.getThread(threadId);
    const queued = thread && queuedIn(thread).find(each => each.id === id);
    if (thread === undefined || queued === undefined) throw notQueued(id);
    try {
      await change(queued, thread.seq);
      return;
    } catch (error) {
      if (!SingletreeError.is(error, 'seq_conflict') || tries >= mostTries) throw error;
    }
  }
}

/** Returns the error for a message that was delivered or removed. */
export function notQueued(id: string): SingletreeError {
  return new SingletreeError('not_found', `The message "${id}" does not wait any more: it was delivered or removed.`);
}

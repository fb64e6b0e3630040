import { defined } from '../events/defined.ts';
import { SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import type { QueuedBody, QueuedMessage } from '../protocols/index.ts';
import { type FollowUp, noFollowUp, notesOf, orderOf, queuedIn } from './follow-ups.ts';

const mostTries = 20;

/** Returns the messages that wait in a thread, in the order in which they are delivered. */
export function queueOf(thread: Thread): QueuedMessage[] {
  return queuedIn(thread).map(({ id, message: { content, agent, model, mode, by } }) => ({
    id,
    content,
    ...defined({ agent, model, mode, by }),
  }));
}

/** How long a message is held at most, in milliseconds. */
const holdMs = 60_000;

/** Changes, moves or holds a waiting message. Throws `not_found` when it, or the one to put it before, does not wait. */
export async function changeQueued(
  log: EventLog,
  threadId: string,
  id: string,
  { content, before, isHeld }: QueuedBody,
): Promise<void> {
  await whileQueued(log, threadId, id, async (queued, thread) => {
    const isFree = isHeld === false || (content !== undefined && isHeld === undefined);
    const heldUntil = isHeld === true ? new Date(Date.now() + holdMs).toISOString() : queued.message.heldUntil;
    const { heldUntil: _, ...message } = queued.message;
    const changed: FollowUp = {
      id,
      message: { ...message, ...defined({ content, heldUntil: isFree ? undefined : heldUntil }) },
    };
    const others = queuedIn(thread).map(each => (each.id === id ? changed : each));
    const notes = before === undefined ? [changed] : moved(others, changed, before);
    await log.append(threadId, [], { metadata: notesOf(notes), expectedSeq: thread.seq });
  });
}

/** Returns the messages in their new order: they take the places of all of them in the queue. */
function moved(queued: readonly FollowUp[], message: FollowUp, before: string | null): readonly FollowUp[] {
  const others = queued.filter(({ id }) => id !== message.id);
  const at = before === null ? others.length : others.findIndex(({ id }) => id === before);
  if (at < 0) throw notQueued(before ?? '');
  const orders = queued.map(orderOf);
  return others.toSpliced(at, 0, message).map((each, place) => ({
    id: each.id,
    message: { ...each.message, order: orders[place] },
  }));
}

/** Removes a waiting message. Throws `not_found` when it does not wait any more. */
export async function removeQueued(log: EventLog, threadId: string, id: string): Promise<void> {
  await whileQueued(log, threadId, id, async (_, { seq: expectedSeq }) => {
    await log.append(threadId, [], { metadata: noFollowUp(id), expectedSeq });
  });
}

/** Changes a waiting message; a delivery in between makes the change fail, so it is tried again with the new state. */
async function whileQueued(
  log: EventLog,
  threadId: string,
  id: string,
  change: (queued: FollowUp, thread: Thread) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const thread = await log.getThread(threadId);
    const queued = thread && queuedIn(thread).find(each => each.id === id);
    if (thread === undefined || queued === undefined) throw notQueued(id);
    try {
      await change(queued, thread);
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

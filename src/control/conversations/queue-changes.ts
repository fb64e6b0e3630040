import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { storedAdditions } from '../../events/run-additions.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import type { QueueChange } from './conversations-options.ts';
import { deliveredKey } from '../supervision/turn-events.ts';
import type { SentMessage } from './sent-message.ts';
import { parseSystemReminder } from './system-reminder.ts';

/** The event that lets a message wait after those that wait already. */
export function queueMessage(
  queue: readonly WaitingMessage[],
  message: SentMessage & { readonly id: string; readonly agent: string },
  waitsFor: string | undefined,
): EventOf<'message_queued'> {
  const { id, content, by, model, mode, agent, hasContext, trace, additions, delivery = 'steer' } = message;
  const { traceId } = trace ?? {};
  return {
    type: 'message_queued',
    runId: newId(),
    id,
    content: typeof content === 'string' ? content : [...content],
    delivery,
    agent,
    order: Math.max(-1, ...queue.map(({ order }) => order)) + 1,
    ...defined({ by, model, mode, hasContext, additions: additions && storedAdditions(additions), waitsFor }),
    ...(traceId !== undefined && { trace: { ...trace, traceId } }),
  };
}

/** The events that change and move a waiting message; throws `not_found` when the one to put it before does not wait. */
export function changeMessage(
  queue: readonly WaitingMessage[],
  id: string,
  { content, before }: QueueChange,
): EventOf<'message_changed'>[] {
  const orders = new Map(before === undefined ? [] : movedOrders(queue, id, before));
  const own = content !== undefined || orders.has(id) ? [id] : [];
  return [...new Set([...own, ...orders.keys()])].map(each => ({
    type: 'message_changed',
    runId: newId(),
    id: each,
    ...defined({ order: orders.get(each) }),
    ...(each === id && content !== undefined && { content: typeof content === 'string' ? content : [...content] }),
  }));
}

/** The places of waiting messages that change when one is put before another. */
function movedOrders(queue: readonly WaitingMessage[], id: string, before: string | null): [string, number][] {
  if (before === id) return [];
  const others = queue.filter(message => message.id !== id);
  const at = before === null ? others.length : others.findIndex(message => message.id === before);
  if (at < 0) throw notWaiting(before ?? '');
  const first = queue[0]?.order ?? 0;
  const moved = others.map(message => message.id).toSpliced(at, 0, id);
  return moved.map((each, place) => [each, first + place]);
}

/** Creates a `not_found` error: a message does not wait. */
export function notWaiting(id: string): SingletreeError {
  return new SingletreeError('not_found', `The message "${id}" does not wait any more: it was delivered or removed.`);
}

/** Whether a message is a reminder as a whole: it gets no answer. */
export function isReminder({ content }: Pick<SentMessage, 'content'>): boolean {
  return typeof content === 'string' && parseSystemReminder(content) !== undefined;
}

/** Stores a message that gets no answer, once. */
export async function storeUnanswered(
  log: EventLog,
  threadId: string,
  { id, content }: Pick<WaitingMessage, 'id' | 'content'>,
): Promise<void> {
  const event = {
    type: 'user' as const,
    runId: newId(),
    id,
    content: typeof content === 'string' ? content : [...content],
  };
  await log.append(threadId, [event], { once: deliveredKey(id) });
}

/** How long a queue is held while somebody edits. */
const heldBy = { owner: 'queue editor', ttlMs: 60_000 };

function queueLease(threadId: string): string {
  return `queue:${threadId}`;
}

/** Holds the queue of a thread for a minute: nothing of it is delivered. Rejects with `lease_held` during a delivery. */
export async function holdQueue(log: EventLog, threadId: string): Promise<void> {
  await log.acquireLease(queueLease(threadId), heldBy);
}

/** Ends the hold of a queue. */
export async function releaseQueue(log: EventLog, threadId: string): Promise<void> {
  // During a delivery nobody holds it.
  const lease = await log.acquireLease(queueLease(threadId), heldBy).catch(() => undefined);
  if (lease !== undefined) await log.releaseLease(lease);
}

/** Whether a person edits the queue. */
export async function isQueueHeld(log: EventLog, threadId: string, owner: string): Promise<boolean> {
  try {
    // It ends at once by itself: a process that is killed here holds nothing.
    await log.releaseLease(await log.acquireLease(queueLease(threadId), { owner, ttlMs: 1 }));
    return false;
  } catch (error) {
    if (!SingletreeError.is(error, 'lease_held')) throw error;
    return error.details['owner'] === heldBy.owner;
  }
}

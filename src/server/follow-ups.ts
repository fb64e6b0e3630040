import { defined } from '../events/defined.ts';
import { newId } from '../events/index.ts';
import { type AppendOptions, type EventLog, followUpPrefix as prefix, type Thread } from '../log/index.ts';
import * as z from 'zod';
import { type MessageBody, messageBody } from '../protocols/index.ts';

/** A message as it was sent, with the name of its sender. */
export interface SentMessage extends MessageBody {
  readonly by?: string | undefined;
}

const storedMessage = messageBody.extend({
  by: z.string().optional(),
  waitsFor: z.string().optional(),
  order: z.string().optional(),
  heldUntil: z.string().optional(),
});

/** A message that waits until the runs of its thread ended. */
export interface FollowUp {
  readonly id: string;
  readonly message: StoredMessage;
}

/** A message as it is noted in a thread. */
export interface StoredMessage extends SentMessage {
  /** The run that was under way when it came. */
  readonly waitsFor?: string | undefined;
  /** Rises with time: messages are delivered in this order. */
  readonly order?: string | undefined;
  /** ISO 8601: until then neither it nor those after it are delivered. */
  readonly heldUntil?: string | undefined;
}

/** Returns the note of a message that waits for a run. */
export function noteOf(message: SentMessage, waitsFor: string): StoredMessage {
  return { ...message, waitsFor, order: newId() };
}

/**
 * Notes the message in the thread's metadata, so that it survives the process. Rejects with `once_conflict`, without any
 * effect, when the key was used before.
 */
export async function markFollowUp(
  log: EventLog,
  threadId: string,
  { id, message, once, expectedSeq }: FollowUp & Pick<AppendOptions, 'once' | 'expectedSeq'>,
): Promise<void> {
  await log.append(threadId, [], { metadata: { [prefix + id]: message }, ...defined({ once, expectedSeq }) });
}

/** The change of the thread's metadata that takes the note away; appended together with the message. */
export function noFollowUp(id: string): Record<string, unknown> {
  return { [prefix + id]: null };
}

/** The messages that wait in a thread, oldest first. */
export function followUpsOf(thread: Thread): FollowUp[] {
  return Object.entries(thread.metadata)
    .flatMap(([key, value]) => {
      const parsed = key.startsWith(prefix) ? storedMessage.safeParse(value) : undefined;
      return parsed?.success ? [{ id: key.slice(prefix.length), message: parsed.data }] : [];
    })
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/** What a message is delivered by: the lowest first. */
export function orderOf({ id, message }: FollowUp): string {
  return message.order ?? id;
}

/** The messages of a thread that were sent as follow-ups: those that a run may still add are not among them. */
export function queuedIn(thread: Thread): FollowUp[] {
  return followUpsOf(thread).filter(({ message }) => message.delivery === 'follow_up');
}

/** The change of the thread's metadata that notes messages. */
export function notesOf(messages: readonly FollowUp[]): Record<string, unknown> {
  return Object.fromEntries(messages.map(({ id, message }) => [prefix + id, message]));
}

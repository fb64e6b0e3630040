import type { PickerEntry } from './list-picker.ts';

/** A message that waits for the end of the turn. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** Whether it is a slash command. */
  readonly isCommand?: boolean;
}

/** The messages that wait, in the order in which they are sent. While one is edited, none is sent. */
export interface MessageQueue {
  readonly messages: readonly QueuedMessage[];
  /** The message that is being edited, and where it returns to. */
  readonly edited: { readonly id: string; readonly at: number } | undefined;
  /** Whether the person has the list open. */
  readonly isOpen: boolean;
}

/** A queue without messages. */
export const emptyQueue: MessageQueue = { messages: [], edited: undefined, isOpen: false };

/** Adds a message at the end; one that was edited returns to its place. */
export function enqueue(queue: MessageQueue, message: QueuedMessage): MessageQueue {
  const at = queue.edited?.at ?? queue.messages.length;
  const id = queue.edited?.id ?? message.id;
  return { ...queue, messages: queue.messages.toSpliced(at, 0, { ...message, id }), edited: undefined };
}

/** Takes the next message, unless the person edits the queue. */
export function dequeue(queue: MessageQueue): { readonly queue: MessageQueue; readonly message?: QueuedMessage } {
  const [message, ...messages] = queue.messages;
  if (message === undefined || queue.edited !== undefined || queue.isOpen) return { queue };
  return { queue: { ...queue, messages }, message };
}

/** Takes a message out to edit it: delivery pauses until it returns or is given up. */
export function editQueued(queue: MessageQueue, id: string): { readonly queue: MessageQueue; readonly text?: string } {
  const at = queue.messages.findIndex(message => message.id === id);
  const message = queue.messages[at];
  if (message === undefined) return { queue };
  return { queue: { ...queue, messages: queue.messages.toSpliced(at, 1), edited: { id, at } }, text: message.text };
}

/** Gives the editing up: the message that was taken out is gone. */
export function stopEditing(queue: MessageQueue): MessageQueue {
  return { ...queue, edited: undefined };
}

/** Removes a message. */
export function removeQueued(queue: MessageQueue, id: string): MessageQueue {
  return { ...queue, messages: queue.messages.filter(message => message.id !== id) };
}

/** Moves a message by one place. */
export function moveQueued(queue: MessageQueue, id: string, step: 1 | -1): MessageQueue {
  const at = queue.messages.findIndex(message => message.id === id);
  const [message, other] = [queue.messages[at], queue.messages[at + step]];
  if (message === undefined || other === undefined) return queue;
  return { ...queue, messages: queue.messages.with(at, other).with(at + step, message) };
}

/** Returns the messages as entries. */
export function queueEntries({ messages }: MessageQueue): readonly PickerEntry[] {
  return messages.map(({ id, text }, index) => ({ id, label: `${index + 1}. ${text}`, preview: text.split('\n') }));
}

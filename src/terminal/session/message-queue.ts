import { dequeue, emptyQueue, enqueue, type MessageQueue, type QueuedMessage } from '../pickers/message-queue.ts';

/** The messages that are sent when the turn has ended. A person may edit them while they wait. */
export class WaitingMessages {
  #queue: MessageQueue = emptyQueue;
  #count = 0;
  /** Whether nothing is delivered for now: the person stopped the turn. */
  isPaused = false;

  get queue(): MessageQueue {
    return this.#queue;
  }

  get texts(): readonly string[] {
    return this.#queue.messages.map(({ text }) => text);
  }

  /** Adds a message at the end; one that was taken out to be edited returns to its place. */
  add(text: string, isCommand: boolean): void {
    this.#queue = enqueue(this.#queue, { id: `${this.#count++}`, text, isCommand });
  }

  /** Takes the first message; undefined when there is none, or while the person edits. */
  take(): QueuedMessage | undefined {
    if (this.isPaused) return undefined;
    const { queue, message } = dequeue(this.#queue);
    this.#queue = queue;
    return message;
  }

  /** Replaces the queue by a changed one. */
  change(change: (queue: MessageQueue) => MessageQueue): void {
    this.#queue = change(this.#queue);
  }
}

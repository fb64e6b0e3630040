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

/** The messages that wait in each thread: they are sent to the thread in which they were written. */
export class ThreadQueues {
  readonly #queues = new Map<string, WaitingMessages>();

  /** The messages that wait in a thread, or before the first message of a new one. */
  of(threadId = ''): WaitingMessages {
    const queue = this.#queues.get(threadId) ?? new WaitingMessages();
    this.#queues.set(threadId, queue);
    return queue;
  }

  /** The threads in which a message waits. */
  get waiting(): readonly (readonly [threadId: string, queue: WaitingMessages])[] {
    return [...this.#queues].filter(([, { texts }]) => texts.length > 0);
  }
}

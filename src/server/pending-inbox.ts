import type { EventLog, Thread } from '../log/index.ts';
import type { RelayEntry } from '../projections/index.ts';
import { RelayBooks } from '../runtime/relay-books.ts';
import type { Scope } from './security/access.ts';

/** A pending relay with the id of its thread. */
export interface WaitingRelay extends RelayEntry {
  readonly threadId: string;
}

/** The relays that wait for people in all threads. */
export class PendingInbox {
  readonly #books: RelayBooks;

  constructor(log: EventLog) {
    this.#books = new RelayBooks(log);
  }

  /** Returns the relays of all threads that a request may see, oldest first. */
  async all({ resourceId }: Scope): Promise<WaitingRelay[]> {
    const waiting: WaitingRelay[] = [];
    for await (const { thread, entry } of this.#books.pending(resourceId))
      waiting.push({ ...entry, threadId: thread.id });
    return waiting.toSorted((a, b) => ((a.since ?? '') < (b.since ?? '') ? -1 : 1));
  }

  /** Returns a pending relay of any thread that a request may see. */
  async find({ resourceId }: Scope, relayId: string): Promise<WaitingRelay | undefined> {
    const found = await this.#books.find(relayId, resourceId);
    return found && { ...found.entry, threadId: found.thread.id };
  }

  /** Returns the relays of one thread, oldest first. */
  async pendingIn(thread: Thread): Promise<readonly RelayEntry[]> {
    return (await this.#books.of(thread)).pending;
  }
}

import { notesRelay } from './pending-relays.ts';
import { SingletreeError } from '../../events/index.ts';
import { allThreads, type EventLog, readEvents, type Thread } from '../../log/index.ts';
import { RelayBook, relayBook, type RelayEntry } from '../../projections/relay-book.ts';

const mostBooks = 2000;

/** A pending relay and the thread it is asked in. */
export interface PendingRelay {
  readonly thread: Thread;
  readonly entry: RelayEntry;
}

/** Caches where the relays of threads stand: a thread that was read before costs only its new events. */
export class RelayBooks {
  readonly #log: EventLog;
  /** By when they were used, the latest last. */
  readonly #books = new Map<string, { readonly book: RelayBook; readonly seq: number }>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** The relays of a thread; not those of events that it imported or shares with another thread. Empty when it is deleted. */
  async of({ id, createdAt, importedSeq = 0, branchedFrom }: Thread): Promise<RelayBook> {
    // The id of a deleted thread may be used again.
    const key = `${createdAt} ${id}`;
    let { book, seq } = this.#books.get(key) ?? { book: relayBook.initial, seq: 0 };
    this.#books.delete(key);
    try {
      const after = Math.max(seq, importedSeq, branchedFrom?.seq ?? 0);
      for await (const event of readEvents(this.#log, id, after)) {
        book = relayBook.step(book, event);
        seq = event.seq;
      }
    } catch (error) {
      if (SingletreeError.is(error, 'thread_not_found')) return RelayBook.empty();
      throw error;
    }
    this.#books.set(key, { book, seq });
    const [oldest] = this.#books.keys();
    if (this.#books.size > mostBooks && oldest !== undefined) this.#books.delete(oldest);
    return book;
  }

  /** The book of a thread that was just listed, when it has its newest event already. */
  #known({ id, createdAt, seq }: Thread): RelayBook | undefined {
    const known = this.#books.get(`${createdAt} ${id}`);
    return known !== undefined && known.seq >= seq ? known.book : undefined;
  }

  /** Yields the pending relays of all threads; reads only the threads in which relays are noted. */
  async *pending(resourceId?: string): AsyncGenerator<PendingRelay> {
    for await (const thread of allThreads(this.#log, { resourceId, pendingRelays: true }))
      for (const entry of (this.#known(thread) ?? (await this.of(thread))).pending) yield { thread, entry };
  }

  /** Finds a pending relay; reads only the thread in which it is noted. */
  async find(relayId: string, resourceId?: string): Promise<PendingRelay | undefined> {
    for await (const thread of allThreads(this.#log, { resourceId, pendingRelays: true })) {
      if (!notesRelay(thread, relayId)) continue;
      const entry = (await this.of(thread)).get(relayId);
      if (entry?.status === 'pending') return { thread, entry };
    }
    return undefined;
  }
}

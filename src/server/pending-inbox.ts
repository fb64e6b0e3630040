import { SingletreeError } from '../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../log/index.ts';
import { type RelayBook, relayBook, type RelayEntry } from '../projections/index.ts';
import type { Scope } from './security/access.ts';

/** A relay that waits, with its thread. */
export interface WaitingRelay extends RelayEntry {
  readonly threadId: string;
}

const pageSize = 500;
const remembered = 1000;

/**
 * What waits for people in all threads. Only threads whose metadata notes an open run are read, and of those only
 * what is new since the last look.
 */
export class PendingInbox {
  readonly #log: EventLog;
  readonly #read = new Map<string, { readonly book: RelayBook; readonly seq: number }>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Oldest first. */
  async all({ resourceId }: Scope): Promise<WaitingRelay[]> {
    const waiting: WaitingRelay[] = [];
    for await (const thread of allThreads(this.#log, { resourceId, openRuns: true }))
      for (const relay of await this.pendingIn(thread)) waiting.push({ ...relay, threadId: thread.id });
    return waiting.toSorted((a, b) => ((a.since ?? '') < (b.since ?? '') ? -1 : 1));
  }

  /** What waits in one thread, oldest first. What was asked in events it shares or imported does not wait here. */
  async pendingIn({ id, createdAt, importedSeq = 0, branchedFrom }: Thread): Promise<readonly RelayEntry[]> {
    // The id of a thread that is gone may be used again.
    const key = `${createdAt} ${id}`;
    let { book, seq } = this.#read.get(key) ?? { book: relayBook.initial, seq: 0 };
    this.#read.delete(key);
    try {
      for (;;) {
        const after = Math.max(seq, importedSeq, branchedFrom?.seq ?? 0);
        const page = await this.#log.read(id, { after, limit: pageSize });
        for (const event of page) book = relayBook.step(book, event);
        seq = page.at(-1)?.seq ?? seq;
        if (page.length < pageSize) break;
      }
    } catch (error) {
      if (SingletreeError.is(error, 'thread_not_found')) return [];
      throw error;
    }
    this.#read.set(key, { book, seq });
    const [oldest] = this.#read.keys();
    if (this.#read.size > remembered && oldest !== undefined) this.#read.delete(oldest);
    return book.pending;
  }
}

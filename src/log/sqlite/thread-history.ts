import type { LoggedEvent } from '../../events/vocabulary.ts';
import { checkRange, threadNotFound } from '../checks.ts';
import type { ReadRange } from '../event-log.ts';
import { EventPage, type Segment } from './event-table.ts';
import type { Tables } from './tables.ts';
import type { Place } from './thread-row.ts';

/** Reads the events of threads, including those that a branch shares with its ancestors. */
export class ThreadHistory {
  readonly #sql: Tables;

  constructor(sql: Tables) {
    this.#sql = sql;
  }

  /** The row of a thread; throws `thread_not_found`. */
  place(threadId: string): Place {
    const place = this.#sql.threads.place(threadId);
    if (place === undefined) throw threadNotFound(threadId);
    return place;
  }

  events(threadId: string, range?: ReadRange): LoggedEvent[] {
    return this.#page(threadId, range, (segment, page) => this.#sql.events.read(segment, page));
  }

  texts(threadId: string, range?: ReadRange): string[] {
    return this.#page(threadId, range, (segment, page) => this.#sql.events.readTexts(segment, page));
  }

  #page<Item>(
    threadId: string,
    range: ReadRange | undefined,
    read: (segment: Segment, page: EventPage<Item>) => void,
  ): Item[] {
    const { after, before, limit, maxBytes } = checkRange(range);
    const place = this.place(threadId);
    try {
      const page = new EventPage<Item>(limit, maxBytes);
      for (const segment of this.#segments(threadId, place, { after, before })) read(segment, page);
      return page.items;
    } catch (error) {
      // Another process may delete it just now: then its events are missing for a good reason.
      throw this.#sql.threads.place(threadId)?.key === place.key ? error : threadNotFound(threadId);
    }
  }

  /** Returns the rows that store a thread's history and the seqs that each one has, oldest first. */
  #segments(threadId: string, place: Place, { after, before }: { after: number; before: number }): Segment[] {
    const segments: Segment[] = [];
    let end = before;
    for (let at: Place | undefined = place; at !== undefined && end > after + 1; at = this.#sql.threads.owner(at)) {
      segments.unshift({ threadId, key: at.key, after: Math.max(after, at.fork), end });
      end = Math.min(end, at.fork + 1);
    }
    return segments;
  }
}

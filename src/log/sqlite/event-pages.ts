import type { LoggedEvent } from '../../events/index.ts';
import { outlineEvents } from '../derived/outline-places.ts';
import { EventPage } from './event-table.ts';
import type { Tables } from './tables.ts';
import type { Place } from './thread-table.ts';

/** Yields the events after a seq and up to another, those that a branch shares included; ends where one is missing. */
export function* eventPages(sql: Tables, place: Place, after: number, upTo: number): Generator<LoggedEvent[]> {
  for (let seq = after; seq < upTo; ) {
    let end = upTo + 1;
    let at: Place | undefined = place;
    while (at !== undefined && seq < at.fork) {
      end = Math.min(end, at.fork + 1);
      at = sql.threads.owner(at);
    }
    if (at === undefined) return;
    const page = new EventPage<LoggedEvent>(outlineEvents, Number.MAX_SAFE_INTEGER);
    sql.events.read({ threadId: '', key: at.key, after: seq, end }, page);
    if (page.items.length === 0) return;
    yield page.items;
    seq += page.items.length;
  }
}

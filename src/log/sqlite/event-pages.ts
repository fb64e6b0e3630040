import type { LoggedEvent } from '../../events/vocabulary.ts';
import { outlineEvents } from '../derived/outline-places.ts';
import { EventPage } from './event-table.ts';
import type { Tables } from './tables.ts';
import type { Place } from './thread-row.ts';

/** Yields the events after a seq and up to another, those that a branch shares included; ends where one is missing. */
export function* eventPages(sql: Tables, place: Place, after: number, upTo: number): Generator<LoggedEvent[]> {
  const owners: { readonly key: number; readonly end: number }[] = [];
  let end = upTo + 1;
  for (let at: Place | undefined = place; ; at = sql.threads.owner(at)) {
    if (at === undefined) return;
    owners.push({ key: at.key, end });
    if (after >= at.fork) break;
    end = Math.min(end, at.fork + 1);
  }
  let seq = after;
  for (const { key, end: last } of owners.toReversed())
    while (seq + 1 < last) {
      const page = new EventPage<LoggedEvent>(outlineEvents, Number.MAX_SAFE_INTEGER);
      sql.events.read({ threadId: '', key, after: seq, end: last }, page);
      if (page.items.length === 0) return;
      yield page.items;
      seq += page.items.length;
    }
}

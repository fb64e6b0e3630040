import type * as z from 'zod';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { parseEvent } from '../events/parse.ts';
import type { ReadingSnapshot } from '../projections/reading/reading-snapshot.ts';
import type { WindowOfThread } from '../projections/reading/ranges/thread-window.ts';
import type { windowInfo } from '../protocols/http-api.ts';

/** A window as a server sent it, its events checked; throws `invalid_event`. */
export function toWindow({ snapshot, events, ...place }: z.infer<typeof windowInfo>): WindowOfThread {
  const { firstSeq, lastSeq, hasEarlier, hasLater } = place;
  return {
    ...(snapshot !== undefined && {
      snapshot: { ...snapshot, events: snapshot.events.map(parseEvent) } as ReadingSnapshot,
    }),
    events: events.map(event => parseEvent(event) as LoggedEvent),
    firstSeq,
    lastSeq,
    hasEarlier,
    hasLater,
  };
}

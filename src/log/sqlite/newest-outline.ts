import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import type { Tables } from './tables.ts';
import type { Place } from './thread-row.ts';

/** The newest outline of a thread at or before a seq, its own or one that it shares. */
export function newestOutline({ outlines, threads }: Tables, place: Place, seq: number): OutlineSnapshot | undefined {
  let upTo = seq;
  for (let at: Place | undefined = place; at !== undefined; at = threads.owner(at)) {
    const found = upTo > at.fork ? outlines.newest(at.key, upTo) : undefined;
    if (found !== undefined) return found;
    upTo = Math.min(upTo, at.fork);
  }
  return undefined;
}

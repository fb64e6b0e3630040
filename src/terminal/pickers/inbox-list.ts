import type { RelayEntry } from '../../projections/index.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { ageText } from './age-text.ts';
import type { PickerEntry } from './list-picker.ts';

/** A question that waits, in any thread. */
export interface InboxItem {
  readonly threadId: string;
  readonly threadTitle: string | undefined;
  readonly entry: RelayEntry;
}

/** Returns what waits as entries, the oldest first, with the thread that asks. */
export function inboxEntries(items: readonly InboxItem[], now: number): readonly PickerEntry[] {
  return items
    .toSorted((one, other) => askedAt(one, now) - askedAt(other, now))
    .map(item => ({
      id: `${item.threadId} ${item.entry.id}`,
      label: presentRelay(item.entry.relay).summary,
      detail: `${item.threadTitle ?? item.threadId.slice(0, 8)} · ${ageText(askedAt(item, now), now)}`,
    }));
}

function askedAt({ entry }: InboxItem, now: number): number {
  const at = Date.parse(entry.since ?? '');
  return Number.isNaN(at) ? now : at;
}

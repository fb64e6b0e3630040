import type { RelayEntry } from '../../projections/index.ts';
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
      label: relaySummary(item.entry),
      detail: `${item.threadTitle ?? item.threadId.slice(0, 8)} · ${ageText(askedAt(item, now), now)}`,
    }));
}

/** Returns one line for what is asked. */
export function relaySummary({ relay }: RelayEntry): string {
  switch (relay.relayKind) {
    case 'permission':
      return relay.command === undefined ? `Use ${relay.tool}?` : `Run: ${relay.command}`;
    case 'question':
      return relay.question;
    case 'plan':
      return `Approve the plan${relay.title === undefined ? '' : `: ${relay.title}`}?`;
    case 'access':
      return 'Allow access outside of the folder?';
    case 'suspension':
      return `${relay.tool} waits for you`;
    default:
      return relay satisfies never;
  }
}

function askedAt({ entry }: InboxItem, now: number): number {
  const at = Date.parse(entry.since ?? '');
  return Number.isNaN(at) ? now : at;
}

import type { ThreadInfo } from '../../../src/protocols/index.ts';

/** A row of the list: the heading of a group, or a thread. */
export type ListRow =
  | { readonly kind: 'heading'; readonly label: string; readonly count?: number }
  | { readonly kind: 'thread'; readonly thread: ThreadInfo };

export interface GroupOptions {
  readonly now: number;
  readonly showArchived: boolean;
}

/**
 * Groups threads, given in the order of their last change: first what waits for a person, the one that waits longest
 * first, then what is pinned, what runs, and the others by day.
 */
export function groupThreads(threads: readonly ThreadInfo[], { now, showArchived }: GroupOptions): ListRow[] {
  const groups = new Map<string, ThreadInfo[]>(firstGroups.map(label => [label, []]));
  for (const thread of threads) {
    if (thread.isArchived === true && thread.status !== 'waiting' && !showArchived) continue;
    const label = groupOf(thread, now);
    const group = groups.get(label) ?? [];
    groups.set(label, group);
    group.push(thread);
  }
  groups.get(waitingLabel)?.reverse();
  return [...groups].flatMap(([label, group]) => {
    if (group.length === 0) return [];
    const count = label === waitingLabel ? { count: waitingIn(group) } : {};
    return [
      { kind: 'heading' as const, label, ...count },
      ...group.map(thread => ({ kind: 'thread' as const, thread })),
    ];
  });
}

/** How many relays of these threads wait for a person. */
export function waitingIn(threads: readonly ThreadInfo[]): number {
  return threads.reduce((sum, { waiting }) => sum + (waiting?.length ?? 0), 0);
}

const waitingLabel = 'Waiting for you';
const firstGroups = [waitingLabel, 'Pinned', 'Running'];

function groupOf({ status, isPinned, updatedAt }: ThreadInfo, now: number): string {
  if (status === 'waiting') return waitingLabel;
  if (isPinned === true) return 'Pinned';
  if (status === 'running') return 'Running';
  return dayLabel(updatedAt, now);
}

const dayMs = 86_400_000;

/** Today, yesterday, this week, or the month, in the person's time zone. */
function dayLabel(iso: string, now: number): string {
  const date = new Date(iso);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (date.getTime() >= midnight) return 'Today';
  if (date.getTime() >= midnight - dayMs) return 'Yesterday';
  if (date.getTime() >= midnight - 6 * dayMs) return 'Last 7 days';
  return date.toLocaleDateString('en', { month: 'long', year: 'numeric' });
}

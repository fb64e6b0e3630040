import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { folderNames } from './folder-names.ts';

/** A row of the list: the heading of a group, or a thread. */
export type ListRow =
  | { readonly kind: 'heading'; readonly label: string; readonly count?: number; readonly folder?: string }
  | { readonly kind: 'thread'; readonly thread: ThreadInfo };

export interface GroupOptions {
  readonly now: number;
  readonly showArchived: boolean;
  readonly by: 'day' | 'folder';
}

/**
 * Groups threads, given with the latest change first: threads that wait for the user (oldest change first), pinned
 * threads, running threads, then the others by day or by folder.
 */
export function groupThreads(threads: readonly ThreadInfo[], options: GroupOptions): ListRow[] {
  const groups = new Map<string, ThreadInfo[]>(firstGroups.map(label => [label, []]));
  const groupOf =
    options.by === 'folder' ? ({ folder = '', project = folder }: ThreadInfo) => project : createDayNamer(options.now);
  for (const thread of threads) {
    if (thread.isArchived === true && waitingIn([thread]) === 0 && !options.showArchived) continue;
    const name = getUrgency(thread) ?? groupOf(thread);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(thread);
  }
  groups.get(waitingLabel)?.reverse();
  const labels = options.by === 'folder' ? folderNames([...groups.keys()].filter(isFolder)) : undefined;
  return [...groups].flatMap(([name, group]) => {
    if (group.length === 0) return [];
    const heading = {
      kind: 'heading' as const,
      label: name === '' ? 'Without a folder' : (labels?.get(name) ?? name),
      ...(name === waitingLabel && { count: waitingIn(group) }),
      ...(labels?.has(name) && { folder: name }),
    };
    return [heading, ...group.map(thread => ({ kind: 'thread' as const, thread }))];
  });
}

/** How many relays of these threads wait for a person. */
export function waitingIn(threads: readonly ThreadInfo[]): number {
  return threads.reduce((sum, { waiting }) => sum + (waiting?.length ?? 0), 0);
}

const waitingLabel = 'Waiting for you';
const firstGroups = [waitingLabel, 'Pinned', 'Running'];

/** Returns the group that takes precedence over day and folder; undefined when the thread is in none. */
function getUrgency(thread: ThreadInfo): string | undefined {
  if (waitingIn([thread]) > 0) return waitingLabel;
  if (thread.isPinned === true) return 'Pinned';
  return thread.status === 'running' ? 'Running' : undefined;
}

function isFolder(group: string): boolean {
  return group !== '' && !firstGroups.includes(group);
}

const dayMs = 86_400_000;
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });

/** Today, yesterday, this week, or the month of the last change, in the person's time zone. */
function createDayNamer(now: number): (thread: ThreadInfo) => string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  return ({ updatedAt }) => {
    const time = Date.parse(updatedAt);
    if (time >= midnight) return 'Today';
    if (time >= midnight - dayMs) return 'Yesterday';
    return time >= midnight - 6 * dayMs ? 'Last 7 days' : month.format(time);
  };
}

import { ageText } from './age-text.ts';
import type { PickerEntry } from './list-picker.ts';

/** A thread as a list shows it. */
export interface ListedThread {
  readonly id: string;
  readonly title: string | undefined;
  /** The folder in which it was started. */
  readonly folder: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly status: 'waits' | 'runs' | 'idle';
  readonly isOpen: boolean;
  /** The last lines of it. */
  readonly preview?: readonly string[];
}

/**
 * Returns threads as entries: those that were started in this folder first, then the others; the newest first, and in
 * each part what waits or runs before what is idle.
 */
export function threadEntries(threads: readonly ListedThread[], folder: string, now: number): readonly PickerEntry[] {
  const rank = { waits: 0, runs: 1, idle: 2 } as const;
  const isHere = (thread: ListedThread) => thread.folder === folder;
  const sorted = threads.toSorted(
    (one, other) =>
      Number(isHere(other)) - Number(isHere(one)) ||
      rank[one.status] - rank[other.status] ||
      other.updatedAt - one.updatedAt,
  );
  return sorted.map(thread => ({
    id: thread.id,
    label: `${thread.title ?? thread.id.slice(0, 8)}${thread.isOpen ? ' (open)' : ''}`,
    detail: [statusWords[thread.status], ageText(thread.updatedAt, now)].filter(text => text !== '').join(' · '),
    group: isHere(thread) ? 'this folder' : 'other folders',
    keywords: `${thread.id} ${thread.folder ?? ''}`,
    preview: [...(thread.folder === undefined ? [] : [thread.folder]), ...(thread.preview ?? [])],
  }));
}

const statusWords = { waits: 'waits for you', runs: 'runs', idle: '' } as const;

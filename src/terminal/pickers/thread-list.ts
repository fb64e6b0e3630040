import type { ConversationState } from '../../control/conversations/conversation-reader.ts';
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
  readonly state: ConversationState;
  readonly isOpen: boolean;
  /** The last lines of it. */
  readonly preview?: readonly string[];
}

/**
 * Returns threads as entries: those that were started in this folder first, then the others; the newest first, and in
 * each part what waits or runs before what is idle.
 */
export function threadEntries(threads: readonly ListedThread[], folder: string, now: number): readonly PickerEntry[] {
  const rank = { waiting: 0, interrupted: 1, running: 2, queued: 3, idle: 4 } as const;
  const isHere = (thread: ListedThread) => thread.folder === folder;
  const sorted = threads.toSorted(
    (one, other) =>
      Number(isHere(other)) - Number(isHere(one)) ||
      rank[one.state] - rank[other.state] ||
      other.updatedAt - one.updatedAt,
  );
  return sorted.map(thread => ({
    id: thread.id,
    label: `${thread.title ?? thread.id.slice(0, 8)}${thread.isOpen ? ' (open)' : ''}`,
    detail: [stateWords[thread.state], ageText(thread.updatedAt, now)].filter(text => text !== '').join(' · '),
    group: isHere(thread) ? 'this folder' : 'other folders',
    keywords: `${thread.id} ${thread.folder ?? ''}`,
    preview: [...(thread.folder === undefined ? [] : [thread.folder]), ...(thread.preview ?? [])],
  }));
}

const stateWords = {
  waiting: 'waits for you',
  interrupted: 'interrupted',
  running: 'runs',
  queued: 'messages wait',
  idle: '',
} as const;

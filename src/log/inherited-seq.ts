import type { Thread } from './event-log.ts';

/** Returns the newest event that a thread did not add itself: it was imported, or is shared with the thread it branched from. */
export function inheritedSeq({ importedSeq = 0, branchedFrom }: Pick<Thread, 'importedSeq' | 'branchedFrom'>): number {
  return Math.max(importedSeq, branchedFrom?.seq ?? 0);
}

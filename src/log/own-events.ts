import type { Thread } from './event-log.ts';

/** Returns the newest event that a thread did not add itself: it was imported, or is shared with the thread it branched from. */
export function inheritedSeq({ importedSeq = 0, branchedFrom }: Pick<Thread, 'importedSeq' | 'branchedFrom'>): number {
  return Math.max(importedSeq, branchedFrom?.seq ?? 0);
}

/**
 * Whether an event of a thread was not imported, as far as the thread as it was read shows: events that came later may be
 * those of an import that is under way.
 */
export function isOwnEvent({ importedSeq, seq: newest }: Pick<Thread, 'importedSeq' | 'seq'>, seq: number): boolean {
  return importedSeq === undefined || (seq > importedSeq && seq <= newest);
}

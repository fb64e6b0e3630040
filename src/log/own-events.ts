import type { Thread } from './event-log.ts';

/** Returns the newest event that a thread did not add itself: it was imported, or is shared with the thread it branched from. */
export function inheritedSeq({ importedSeq = 0, branchedFrom }: Pick<Thread, 'importedSeq' | 'branchedFrom'>): number {
  return Math.max(importedSeq, branchedFrom?.seq ?? 0);
}

/**
 * Returns whether an event of a thread is known not to be imported. Events appended after `thread` was read count as
 * imported, because an import may still be running.
 */
export function isOwnEvent({ importedSeq, seq: newest }: Pick<Thread, 'importedSeq' | 'seq'>, seq: number): boolean {
  return importedSeq === undefined || (seq > importedSeq && seq <= newest);
}

import { defined } from '../base/defined.ts';
import { checkAppendOptions, checkId, checkImportable, leaseLost, onceConflict, seqConflict } from './checks.ts';
import type { AppendOptions, Lease } from './event-log.ts';

/** The state of the thread to append to, read while the store holds the lock of the append. */
export interface AppendTarget {
  readonly threadId: string;
  readonly seq: number;
  /** How far its events were imported; undefined when it was not made for an import. */
  importedSeq(): number | undefined;
  /** The seq at which a key was used. */
  seqOfKey(key: string): number | undefined;
  /** Whether a lease is the newest of its name. */
  isHeld(lease: Lease): boolean;
}

/**
 * Checks the conditions of an append. Throws `seq_conflict`, `once_conflict`, `lease_lost`, and `invalid_argument` for an
 * option that is unknown, a key that is not usable, and a thread that takes no imported events.
 */
export function checkConditions(options: AppendOptions, target: AppendTarget): void {
  checkAppendOptions(options);
  const { expectedSeq, once, lease, imported } = options;
  const { threadId, seq } = target;
  if (expectedSeq !== undefined && expectedSeq !== seq) throw seqConflict(threadId, expectedSeq, seq);
  const earlier = once === undefined ? undefined : target.seqOfKey(checkId('once key', once));
  if (once !== undefined && earlier !== undefined) throw onceConflict(threadId, once, earlier);
  if (lease !== undefined && !target.isHeld(lease)) throw leaseLost(lease);
  if (imported === true) checkImportable({ id: threadId, seq, ...defined({ importedSeq: target.importedSeq() }) });
}

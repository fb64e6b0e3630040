import { type FileDiff, fileDiffOf } from '../../projections/activity/file-diff.ts';
import type { FileChange } from '../../projections/activity/diff-changes.ts';
import { type PresentableCall, presentChanges } from '../../projections/presentation/present-call.ts';

/** What was drawn once is drawn again, by the next frame or by the transcript: its comparison is kept. */
const kept = new WeakMap<object, readonly FileDiff[]>();

/** Returns the diffs of changes; they are kept for `key`. */
export function changeDiffs(changes: () => readonly FileChange[], key: object): readonly FileDiff[] {
  const diffs = kept.get(key) ?? changes().map(fileDiffOf);
  kept.set(key, diffs);
  return diffs;
}

/** Returns the diffs of what a call changes in files; none when nothing is known. */
export function callDiffs(call: PresentableCall, agentId: string | undefined): readonly FileDiff[] {
  const diffs = changeDiffs(() => presentChanges(call, { agentId }), call);
  return diffs.filter(({ isUnknown, action }) => !isUnknown || action === 'delete');
}

/** How many lines diffs add and remove, as a row shows it; empty when their lines are not known. */
export function countsText(diffs: readonly FileDiff[]): string {
  if (diffs.every(({ hunks }) => hunks.length === 0)) return '';
  const sum = (count: (diff: FileDiff) => number) => diffs.reduce((all, diff) => all + count(diff), 0);
  return `+${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
}

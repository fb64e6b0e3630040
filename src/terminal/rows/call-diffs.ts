import { changesOfDiff, type FileChange, fileChangesOf } from '../../projections/activity/file-changes.ts';
import { type FileDiff, fileDiffOf } from '../../projections/activity/file-diff.ts';
import type { ToolPart } from '../../projections/index.ts';

/** A call that was drawn once is drawn again by the transcript: its comparison is kept. */
const kept = new WeakMap<ToolPart, readonly FileDiff[]>();

/** Returns the diffs of what a call changes in files, from what was asked about it or from its input; none when nothing is known. */
export function callDiffs(part: ToolPart, agentId: string | undefined): readonly FileDiff[] {
  const before = kept.get(part);
  if (before !== undefined) return before;
  const asked = part.relays.flatMap(({ relay }) =>
    relay.relayKind === 'permission' && relay.diff !== undefined ? changesOfDiff(relay.diff, '') : [],
  );
  const changes: readonly FileChange[] = asked.length > 0 ? asked : fileChangesOf({ ...part, agentId });
  const diffs = changes.map(fileDiffOf).filter(({ isUnknown }) => !isUnknown);
  kept.set(part, diffs);
  return diffs;
}

/** Returns the diff of a text that takes the place of another. */
export function textDiff(before: string, after: string): readonly FileDiff[] {
  return [fileDiffOf({ path: '', action: 'update', edits: [{ before, after }] })];
}

/** Returns the diffs of a unified diff. */
export function patchDiffs(diff: string): readonly FileDiff[] {
  return changesOfDiff(diff, '').map(fileDiffOf);
}

/** How many lines diffs add and remove, as a row shows it; empty for no diffs. */
export function countsText(diffs: readonly FileDiff[]): string {
  if (diffs.length === 0) return '';
  const sum = (count: (diff: FileDiff) => number) => diffs.reduce((all, diff) => all + count(diff), 0);
  return `+${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
}

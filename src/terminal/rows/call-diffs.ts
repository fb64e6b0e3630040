import { changesOfDiff, type FileChange } from '../../projections/activity/diff-changes.ts';
import { fileChangesOf } from '../../projections/activity/file-changes.ts';
import { type FileDiff, fileDiffOf } from '../../projections/activity/file-diff.ts';
import type { NamedCall } from './tool-object.ts';

/** What was drawn once is drawn again, by the next frame or by the transcript: its comparison is kept. */
const kept = new WeakMap<object, readonly FileDiff[]>();

function keptFor(key: object, make: () => readonly FileDiff[]): readonly FileDiff[] {
  const diffs = kept.get(key) ?? make();
  kept.set(key, diffs);
  return diffs;
}

/**
 * Returns the diffs of what a call changes in files, from what was asked about it or from its input; none when nothing is
 * known. They are kept for `key`.
 */
export function callDiffs(call: NamedCall, agentId: string | undefined, key: object = call): readonly FileDiff[] {
  return keptFor(key, () => {
    const asked = call.relays.flatMap(({ relay }) =>
      relay.relayKind === 'permission' && relay.diff !== undefined ? changesOfDiff(relay.diff, '') : [],
    );
    const changes: readonly FileChange[] = asked.length > 0 ? asked : fileChangesOf({ ...call, agentId });
    return changes.map(fileDiffOf).filter(({ isUnknown }) => !isUnknown);
  });
}

/** Returns the diffs of a unified diff; they are kept for `key`. */
export function patchDiffs(diff: string, key: object = {}): readonly FileDiff[] {
  return keptFor(key, () => changesOfDiff(diff, '').map(fileDiffOf));
}

/** How many lines diffs add and remove, as a row shows it; empty for no diffs. */
export function countsText(diffs: readonly FileDiff[]): string {
  if (diffs.length === 0) return '';
  const sum = (count: (diff: FileDiff) => number) => diffs.reduce((all, diff) => all + count(diff), 0);
  return `+${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
}

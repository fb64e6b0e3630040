import { useEffect, useState } from 'react';
import type { FileChange } from '../../../src/projections/activity/diff-changes.ts';
import type { FileDiff, buildFileDiff } from '../../../src/projections/activity/file-diff.ts';

const kept = new WeakMap<FileChange, FileDiff>();
let makeDiff: typeof buildFileDiff | undefined;

/** Returns the diffs of changes once they are computed; undefined until then, and while they are not wanted. */
export function useFileDiffs(changes: readonly FileChange[], isWanted = true): readonly FileDiff[] | undefined {
  const [, setLoaded] = useState(makeDiff !== undefined);
  const needsModel = isWanted && changes.length > 0 && makeDiff === undefined;
  useEffect(() => {
    if (!needsModel) return;
    void import('../../../src/projections/activity/file-diff.ts').then(loaded => {
      makeDiff = loaded.buildFileDiff;
      setLoaded(true);
    });
  }, [needsModel]);
  const make = makeDiff;
  if (!isWanted || make === undefined) return undefined;
  return changes.map(change => {
    const before = kept.get(change);
    if (before !== undefined) return before;
    const diff = make(change);
    kept.set(change, diff);
    return diff;
  });
}

/** Returns the size of what is known of changes, in characters. */
export function getSize(changes: readonly FileChange[]): number {
  return changes.reduce((sum, { patch = '', content = '', edits = [] }) => {
    const edited = edits.reduce((all, { before, after }) => all + before.length + after.length, 0);
    return sum + patch.length + content.length + edited;
  }, 0);
}

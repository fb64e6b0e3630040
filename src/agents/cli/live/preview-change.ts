import type { FileChange } from '../../../projections/activity/diff-changes.ts';
import { listFileChanges } from '../../../projections/activity/file-changes.ts';
import type { RecordedCall } from '../../../projections/activity/call-operations.ts';
import { readText } from '../../tools/files/read-text.ts';
import { replaceExact } from '../../tools/files/replace-exact.ts';
import { type TextChange, unifiedDiff } from '../../workspace/unified-diff.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';

/**
 * Returns what a call of an external agent would change in the files of its folder, as a unified diff with the lines
 * around each change; undefined when that cannot be known for all of it.
 */
export async function previewChange(call: RecordedCall, folder: WorkspaceFolder): Promise<string | undefined> {
  const changes = await Promise.all(listFileChanges(call).map(change => textChange(change, folder)));
  return changes.every(change => change !== undefined) ? unifiedDiff(changes) : undefined;
}

async function textChange(
  { path, edits, content, moveTo }: FileChange,
  folder: WorkspaceFolder,
): Promise<TextChange | undefined> {
  if (moveTo !== undefined || (edits ?? content) === undefined) return undefined;
  const oldText = await readText(folder, path).then(
    ({ text }) => text,
    () => undefined,
  );
  if (content !== undefined) return { path, oldText: oldText ?? '', newText: content };
  let newText = oldText;
  for (const { before, after } of edits ?? []) {
    const replaced =
      newText === undefined || before === ''
        ? undefined
        : replaceExact(newText, { from: before, to: after, all: false });
    newText = replaced !== undefined && 'content' in replaced ? replaced.content : undefined;
  }
  return oldText === undefined || newText === undefined ? undefined : { path, oldText, newText };
}

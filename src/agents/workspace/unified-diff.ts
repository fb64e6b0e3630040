import { structuredPatch } from 'diff';

/** The text of a file before and after a change; a new file had none. */
export interface TextChange {
  readonly path: string;
  /** Its path after the change when that is another one; null when the file is deleted. */
  readonly newPath?: string | null | undefined;
  readonly oldText: string;
  readonly newText: string;
}

/** The time limit for computing a diff, in milliseconds. */
const mostCompareMs = 300;

/**
 * Returns file changes as a unified diff with three lines of context, without the lines of deleted files; undefined
 * when nothing changes.
 */
export function unifiedDiff(changes: readonly TextChange[]): string | undefined {
  const parts = changes.flatMap(change => fileDiff(change) ?? []);
  return parts.length === 0 ? undefined : parts.join('');
}

function fileDiff({ path, newPath, oldText, newText }: TextChange): string | undefined {
  if (newPath === null) return `--- ${path}\n+++ /dev/null\n`;
  if (oldText === newText) return newPath === undefined ? undefined : `--- ${path}\n+++ ${newPath}\n`;
  const patch = structuredPatch('', '', oldText, newText, '', '', { context: 3, timeout: mostCompareMs });
  if (patch === undefined) return undefined;
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    // An empty range names the line before it.
    const range = (start: number, count: number) => `${count === 0 ? Math.max(0, start - 1) : start},${count}`;
    return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.map(line => `${line}\n`).join('')}`;
  });
  const isNew = oldText === '' && newPath === undefined;
  return `--- ${isNew ? '/dev/null' : path}\n+++ ${newPath ?? path}\n${hunks.join('')}`;
}

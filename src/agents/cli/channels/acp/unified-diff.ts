import type { ContentDiff } from './call-content.ts';

const context = 3;

/** Returns changes of files as a unified diff: one hunk for each file, from the first changed line to the last. */
export function unifiedDiff(changes: readonly ContentDiff[]): string | undefined {
  const parts = changes.flatMap(change => diffOf(change) ?? []);
  return parts.length === 0 ? undefined : parts.join('');
}

function diffOf({ path, oldText, newText }: ContentDiff): string | undefined {
  if (oldText === newText) return undefined;
  const before = linesOf(oldText);
  const after = linesOf(newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let same = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (same < rest && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  const first = Math.max(0, start - context);
  const end = Math.min(same, context);
  const removed = before.slice(start, before.length - same);
  const added = after.slice(start, after.length - same);
  const oldCount = start - first + removed.length + end;
  const newCount = start - first + added.length + end;
  return [
    `--- ${oldText === '' ? '/dev/null' : path}\n+++ ${path}\n`,
    `@@ -${range(first, oldCount)} +${range(first, newCount)} @@\n`,
    ...before.slice(first, start).map(line => marked(' ', line)),
    ...removed.map(line => marked('-', line)),
    ...added.map(line => marked('+', line)),
    ...before.slice(before.length - same, before.length - same + end).map(line => marked(' ', line)),
  ].join('');
}

/** The lines of a text with their endings. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function range(first: number, count: number): string {
  return `${count === 0 ? first : first + 1},${count}`;
}

function marked(mark: string, line: string): string {
  return line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
}

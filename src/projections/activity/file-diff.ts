import { defined } from '../../base/defined.ts';
import { diffWordsWithSpace, structuredPatch } from 'diff';
import type { FileChange } from './diff-changes.ts';

/** A range of a line that differs from the line it replaces or that replaces it. */
export type Mark = readonly [from: number, to: number];

/** One line of a diff; a number is absent when the position is not known. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  readonly old?: number;
  readonly new?: number;
  readonly marks?: readonly Mark[];
}

/** Lines that stand together; `title` is what a patch wrote about where they are. */
export interface DiffHunk {
  readonly title: string;
  readonly lines: readonly DiffLine[];
}

/** The diff of one file. */
export interface FileDiff {
  readonly path: string;
  readonly moveTo?: string;
  readonly action: FileChange['action'];
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
  /** Whether the changed lines are unknown: only the fact that the file changed was recorded. */
  readonly isUnknown: boolean;
}

/** How long lines are compared before all of them count as changed, in milliseconds. */
const mostCompareMs = 300;
/** Longer lines get no marks. */
const mostMarkedChars = 1_000;

/** Returns the diff of a change. */
export function buildFileDiff(change: FileChange): FileDiff {
  const { path, moveTo, action } = change;
  const hunks = buildHunks(change).map(withMarks);
  const count = (kind: DiffLine['kind']) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter(line => line.kind === kind).length, 0);
  return {
    path,
    action,
    ...defined({ moveTo }),
    hunks,
    added: count('added'),
    removed: count('removed'),
    isUnknown: hunks.length === 0 && moveTo === undefined,
  };
}

function buildHunks({ patch, edits, content }: FileChange): DiffHunk[] {
  if (patch !== undefined) return patch === '' ? [] : patchHunks(patch);
  if (content !== undefined) return content === '' ? [] : [numbered('', splitLines(content).map(added), [1, 1])];
  return (edits ?? []).flatMap(({ before, after, line }) => compared(before, after, line));
}

/** The hunks between two texts; they begin at `line` of their file when that is known. */
function compared(before: string, after: string, line: number | undefined): DiffHunk[] {
  const [old, now] = [ended(before), ended(after)];
  const patch = structuredPatch('', '', old, now, '', '', { context: 3, timeout: mostCompareMs });
  if (patch === undefined) {
    const all = [...splitLines(before).map(removed), ...splitLines(after).map(added)];
    return [numbered('', all, line === undefined ? undefined : [line, line])];
  }
  return patch.hunks.map(hunk => {
    const at = line === undefined ? undefined : line - 1;
    return numbered('', hunk.lines, at === undefined ? undefined : [hunk.oldStart + at, hunk.newStart + at]);
  });
}

const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

function patchHunks(patch: string): DiffHunk[] {
  const hunks: { title: string; start: readonly [number, number] | undefined; lines: string[] }[] = [];
  for (const line of patch.split('\n')) {
    const found = head.exec(line);
    if (found) {
      const start = [Number(found[1]), Number(found[3])] as const;
      hunks.push({ title: found[5] ?? '', start, lines: [] });
    } else if (line.startsWith('@@')) hunks.push({ title: line.slice(2).trim(), start: undefined, lines: [] });
    else {
      if (hunks.length === 0) hunks.push({ title: '', start: undefined, lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
  }
  return hunks.flatMap(({ title, start, lines }) => (lines.length === 0 ? [] : [numbered(title, lines, start)]));
}

/** A hunk of lines with `+`, `-` or a space before them. */
function numbered(title: string, lines: readonly string[], start: readonly [number, number] | undefined): DiffHunk {
  let [old, now] = start ?? [0, 0];
  const isKnown = start !== undefined;
  const result: DiffLine[] = [];
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('+')) result.push({ kind: 'added', text, ...(isKnown && { new: now++ }) });
    else if (line.startsWith('-')) result.push({ kind: 'removed', text, ...(isKnown && { old: old++ }) });
    else if (!line.startsWith('\\')) result.push({ kind: 'same', text, ...(isKnown && { old: old++, new: now++ }) });
  }
  return { title, lines: result };
}

/** Marks the words that differ between removed lines and the added lines after them. */
function withMarks({ title, lines }: DiffHunk): DiffHunk {
  const marked = [...lines];
  for (let at = 0; at < lines.length; ) {
    const removedFrom = at;
    while (lines[at]?.kind === 'removed') at++;
    const addedFrom = at;
    while (lines[at]?.kind === 'added') at++;
    const pairs = Math.min(addedFrom - removedFrom, at - addedFrom);
    for (let pair = 0; pair < pairs; pair++) markPair(marked, removedFrom + pair, addedFrom + pair);
    if (at === removedFrom) at++;
  }
  return { title, lines: marked };
}

function markPair(lines: DiffLine[], oldAt: number, newAt: number): void {
  const [before, after] = [lines[oldAt], lines[newAt]];
  if (!before || !after || before.text.length > mostMarkedChars || after.text.length > mostMarkedChars) return;
  const [oldMarks, newMarks]: [Mark[], Mark[]] = [[], []];
  let [oldPlace, newPlace, same] = [0, 0, 0];
  for (const { value, added: isAdded, removed: isRemoved } of diffWordsWithSpace(before.text, after.text)) {
    if (isAdded) newMarks.push([newPlace, (newPlace += value.length)]);
    else if (isRemoved) oldMarks.push([oldPlace, (oldPlace += value.length)]);
    else {
      same += value.trim().length;
      oldPlace += value.length;
      newPlace += value.length;
    }
  }
  // Lines with little in common were rewritten: marks in all of them would say nothing.
  if (same * 3 < Math.max(before.text.trim().length, after.text.trim().length)) return;
  lines[oldAt] = { ...before, marks: oldMarks };
  lines[newAt] = { ...after, marks: newMarks };
}

function splitLines(text: string): string[] {
  return text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function added(line: string): string {
  return `+${line}`;
}

function removed(line: string): string {
  return `-${line}`;
}

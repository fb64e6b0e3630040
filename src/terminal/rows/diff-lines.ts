import { rowText } from '../../base/terminal-text.ts';
import type { FileChange } from '../../projections/activity/diff-changes.ts';
import { type DiffHunk, type DiffLine, type FileDiff, buildFileDiff } from '../../projections/activity/file-diff.ts';
import { type PresentableCall, presentChanges } from '../../projections/presentation/present-call.ts';
import { type Ink, lead, type Line, span, type Span, verbatim } from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';

/** The minimum width for a side-by-side diff. */
const sideBySide = 120;

interface DiffRowsOptions {
  readonly width: number;
  /** The most lines that are drawn. */
  readonly most: number;
  /** How a person sees the others, such as a key; nothing is said of it when absent. */
  readonly hint?: string | undefined;
  /** Makes a text safe to print; without one what a terminal executes is removed. */
  readonly printable?: (text: string) => string;
}

/** Draws diffs: unified, or side by side in a wide window. Words that differ in a line are marked. */
export function diffRows(
  diffs: readonly FileDiff[],
  { width, most, hint, printable = rowText }: DiffRowsOptions,
): Line[] {
  const draw = (line: DiffLine) => unified(line, printable);
  const lines = diffs.flatMap(({ path, moveTo, action, hunks, added, removed }) => {
    const outcome = moveTo !== undefined ? ` → ${moveTo}` : action === 'delete' ? ' (deleted)' : '';
    const head: Line[] =
      diffs.length > 1 || moveTo !== undefined ? [[span(printable(path + outcome), 'dim', 'underline')]] : [];
    const isSplit = width >= sideBySide && removed > 0 && added > 0;
    return [
      ...head,
      ...hunks.flatMap((hunk, at) => [
        ...placeLines(hunk, at === 0),
        ...(isSplit ? twoColumns(hunk.lines, width, draw) : hunk.lines.map(draw)),
      ]),
    ];
  });
  if (lines.length <= most) return lines;
  return [
    ...lines.slice(0, most),
    [span(`… ${lines.length - most} more lines${hint === undefined ? '' : ` (${hint})`} …`, 'dim')],
  ];
}

/** Where a hunk begins in its file, when that is known; nothing for the beginning of a file. */
function placeLines({ lines: [first] }: DiffHunk, isFirst: boolean): Line[] {
  const line = first?.old ?? first?.new;
  if (isFirst && (line ?? 1) <= 1) return [];
  return [[span(line === undefined ? '  ⋮' : `  ⋮ line ${line}`, 'dim')]];
}

const signs = { same: ' ', added: '+', removed: '-' } as const;
const inks: Readonly<Record<DiffLine['kind'], Ink>> = { same: 'dim', added: 'green', removed: 'red' };

/** One line with its sign; what differs from its counterpart is inverse. */
function unified({ kind, text, marks = [] }: DiffLine, printable: (text: string) => string): Line {
  const ink = inks[kind];
  const spans: Span[] = [];
  let place = 0;
  const add = (to: number, isMarked: boolean) => {
    const piece = printable(text.slice(place, to));
    if (piece !== '') spans.push(isMarked ? span(piece, ink, 'inverse') : span(piece, ink));
    place = to;
  };
  for (const [from, to] of marks) {
    add(from, false);
    add(to, true);
  }
  add(text.length, false);
  return [lead(span(`${signs[kind]} `, ink)), ...verbatim(spans)];
}

/** Removed lines at the left of the added ones that take their place. */
function twoColumns(lines: readonly DiffLine[], width: number, draw: (line: DiffLine) => Line): Line[] {
  const column = Math.floor((width - 3) / 2);
  const cell = (line: DiffLine | undefined): Line => (line === undefined ? [] : cutLine(draw(line), column));
  const pair = (left: DiffLine | undefined, right: DiffLine | undefined): Line => {
    const first = cell(left);
    return [...first, span(' '.repeat(Math.max(0, column - lineWidth(first)))), span(' │ ', 'dim'), ...cell(right)];
  };
  const rows: Line[] = [];
  let left: DiffLine[] = [];
  let right: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) rows.push(pair(left[at], right[at]));
    [left, right] = [[], []];
  };
  for (const line of lines)
    if (line.kind === 'removed') {
      if (right.length > 0) flush();
      left.push(line);
    } else if (line.kind === 'added') right.push(line);
    else {
      flush();
      rows.push(pair(line, line));
    }
  flush();
  return rows;
}

/** Caches diffs, because the next frame and the transcript draw the same changes again. */
const kept = new WeakMap<object, readonly FileDiff[]>();

/** Returns the diffs of changes; they are kept for `key`. */
export function changeDiffs(changes: () => readonly FileChange[], key: object): readonly FileDiff[] {
  const diffs = kept.get(key) ?? changes().map(buildFileDiff);
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

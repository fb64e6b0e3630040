import { type Ink, type Line, span, type Span } from '../screen/styled-line.ts';
import { cutLine, lineWidth } from '../screen/text-width.ts';
import { rowText } from '../screen/terminal-text.ts';
import type { ChangedLine, FileChange } from './file-change.ts';

/** From this width on both sides of a change stand beside each other. */
const sideBySide = 120;
/** How many unchanged lines are shown around a change. */
const around = 2;

/** Draws a change in at most `most` lines: unified, or side by side in a wide window. */
export function diffRows(change: FileChange, width: number, most: number): Line[] {
  const near = nearChanges(change.lines);
  const lines =
    width >= sideBySide && change.removed > 0 && change.added > 0 ? twoColumns(near, width) : near.map(unified);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), [span(`… ${lines.length - most} more lines (Ctrl+O) …`, 'dim')]];
}

function unified({ sign, text }: ChangedLine): Line {
  return [span(`${sign} ${rowText(text)}`, ...inksOf(sign))];
}

function inksOf(sign: ChangedLine['sign']): readonly Ink[] {
  if (sign === ' ') return ['dim'];
  return [sign === '+' ? 'green' : 'red'];
}

/** The changed lines and those near them; what lies between is one mark. */
function nearChanges(lines: readonly ChangedLine[]): ChangedLine[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ');
  const shown: ChangedLine[] = [];
  let isGap = false;
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) {
      if (isGap && shown.length > 0) shown.push({ sign: ' ', text: '⋮' });
      shown.push(line);
    }
    isGap = !isNear(at);
  }
  return shown;
}

/** Removed lines at the left of the added ones that take their place. */
function twoColumns(lines: readonly ChangedLine[], width: number): Line[] {
  const column = Math.floor((width - 3) / 2);
  const rows: Line[] = [];
  let left: ChangedLine[] = [];
  let right: ChangedLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) rows.push(pair(left[at], right[at], column));
    [left, right] = [[], []];
  };
  for (const line of lines)
    if (line.sign === '-') {
      if (right.length > 0) flush();
      left.push(line);
    } else if (line.sign === '+') right.push(line);
    else {
      flush();
      rows.push(pair(line, line, column));
    }
  flush();
  return rows;
}

function pair(left: ChangedLine | undefined, right: ChangedLine | undefined, column: number): Line {
  const cell = (line: ChangedLine | undefined): Span[] =>
    line === undefined ? [] : [...cutLine(unified(line), column)];
  const first = cell(left);
  return [...first, span(' '.repeat(Math.max(0, column - lineWidth(first)))), span(' │ ', 'dim'), ...cell(right)];
}

import { type Line, type Span, span, textOfLine } from '../screen/styled-line.ts';
import { graphemeWidth, textWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';
import { toGraphemes } from './boundaries.ts';
import { chipIndex, chipLabel, type Composer } from './composer.ts';

/** One character or chip on the screen. */
interface Cell {
  readonly offset: number;
  readonly column: number;
  readonly shown: string;
  readonly isChip: boolean;
}

/** One row of a draft on the screen. */
interface DraftRow {
  readonly cells: readonly Cell[];
  /** The offset behind its last character, and the column there. */
  readonly end: number;
  readonly endColumn: number;
  /** Whether the text continues in the next row without a line break. */
  readonly isWrapped: boolean;
}

/** The visible part of a draft. */
export interface DraftView {
  readonly rows: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number };
  /** The number of rows that are hidden above and below. */
  readonly above: number;
  readonly below: number;
}

/** The size of the place in which a draft is shown. */
export interface DraftSize {
  readonly width: number;
  readonly maxRows: number;
}

/** Returns the rows that fit, around the cursor. */
export function draftView(composer: Composer, { width, maxRows }: DraftSize): DraftView {
  const rows = layout(composer, width);
  const { row, column } = position(rows, composer.cursor);
  const shown = Math.max(1, maxRows);
  const first = Math.max(0, Math.min(row - Math.floor(shown / 2), rows.length - shown));
  const visible = rows.slice(first, first + shown);
  return {
    rows: visible.map(toLine),
    cursor: { row: row - first, column },
    above: first,
    below: rows.length - first - visible.length,
  };
}

/** Returns the composer with the cursor one row up or down, in the same column; undefined at the first or last row. */
export function rowMove(composer: Composer, width: number, step: 1 | -1): Composer | undefined {
  const rows = layout(composer, width);
  const { row, column } = position(rows, composer.cursor);
  const target = rows[row + step];
  if (target === undefined) return undefined;
  const wanted = composer.column ?? column;
  const cell = target.cells.findLast(each => each.column <= wanted);
  const isBehind = wanted >= target.endColumn && !target.isWrapped;
  const offset = isBehind ? target.end : (cell?.offset ?? target.end);
  return { ...composer, cursor: offset, column: wanted, last: { type: 'move' } };
}

function layout({ text, chips }: Composer, width: number): DraftRow[] {
  // The last column is kept for the cursor behind a full row.
  const most = Math.max(2, width - 1);
  const rows: DraftRow[] = [];
  let offset = 0;
  for (const line of text.split('\n')) {
    let cells: Cell[] = [];
    let column = 0;
    for (const grapheme of toGraphemes(line)) {
      const chip = chips[chipIndex(grapheme) ?? -1];
      const shown =
        chip === undefined
          ? shownCharacter(grapheme, column, most)
          : textOfLine(cutLine([span(chipLabel(chip))], most));
      const columns = textWidth(shown);
      if (column + columns > most) {
        const moved = cells.slice(breakIndex(cells, shown));
        const { offset: end, column: endColumn } = moved[0] ?? { offset, column };
        rows.push({ cells: cells.slice(0, cells.length - moved.length), end, endColumn, isWrapped: true });
        cells = moved.map(cell => ({ ...cell, column: cell.column - endColumn }));
        column -= endColumn;
      }
      cells.push({ offset, column, shown, isChip: chip !== undefined });
      column += columns;
      offset += grapheme.length;
    }
    rows.push({ cells, end: offset, endColumn: column, isWrapped: false });
    offset += 1;
  }
  return rows;
}

/** Returns how many cells stay in a full row before `next`: a word goes to the next row, unless it fills this one. */
function breakIndex(cells: readonly Cell[], next: string): number {
  const isWithinWord = next !== ' ' && [next, cells.at(-1)?.shown ?? ''].every(shown => textWidth(shown) === 1);
  const wordStart = isWithinWord ? cells.findLastIndex(({ shown }) => shown.endsWith(' ')) + 1 : 0;
  return wordStart === 0 ? cells.length : wordStart;
}

function position(rows: readonly DraftRow[], cursor: number): { row: number; column: number } {
  const row = rows.findIndex(({ end, isWrapped }) => (isWrapped ? cursor < end : cursor <= end));
  const found = rows[row];
  const cell = found?.cells.find(({ offset }) => offset >= cursor);
  return { row: Math.max(0, row), column: cell?.column ?? found?.endColumn ?? 0 };
}

function toLine({ cells }: DraftRow): Line {
  const spans: Span[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') spans.push(span(text));
    text = '';
  };
  for (const { shown, isChip } of cells)
    if (isChip) {
      flush();
      spans.push(span(shown, 'inverse'));
    } else text += shown;
  flush();
  return spans;
}

/** A tab is spaces; a character without width that stands alone is visible. */
function shownCharacter(grapheme: string, column: number, most: number): string {
  if (grapheme === '\t') return ' '.repeat(Math.min(most, 4 - (column % 4)));
  return graphemeWidth(grapheme) === 0 ? '\ufffd' : grapheme;
}

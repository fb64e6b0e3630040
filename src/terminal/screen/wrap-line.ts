import type { Line, Span } from './styled-line.ts';
import { lineWidth, segmentText, tabStop, type TextSegment } from './text-width.ts';

/**
 * Returns a line as rows of a screen, none wider than `width`. Rows break at spaces, which are dropped there, and between
 * wide characters; a word that is longer than a row, and verbatim text, break anywhere. Rows that continue a line begin
 * with what its leading spans `hang`.
 */
export function wrapLine(line: Line, width: number): Line[] {
  return fits(line, width) ? [line] : new RowBreaker(line, width, true).rows();
}

/**
 * Returns a line as the lines to print into a terminal that wraps by itself: it breaks what `wrapLine` breaks anywhere, so
 * that verbatim text and long links are selected whole.
 */
export function printedLines(line: Line, width: number): Line[] {
  if (fits(line, width) || line.some(({ isVerbatim }) => isVerbatim)) return [line];
  return new RowBreaker(line, width, false).rows();
}

/** The longest character as a person sees it, in UTF-16 units, that is drawn whole. */
const longestGrapheme = 32;

/** Returns a line cut to a width; what is cut off is an ellipsis. */
export function cutLine(line: Line, width: number): Line {
  if (width < 1) return [];
  const most = (width + 1) * longestGrapheme;
  const isCut = line.some(({ text }) => text.length > most) || lineWidth(line) > width;
  if (!isCut && fits(line, width)) return line;
  const verbatim = line.map(piece => ({ ...piece, text: piece.text.slice(0, most), isVerbatim: true }));
  const [kept = []] = new RowBreaker(verbatim, isCut ? width - 1 : width, true).rows();
  if (!isCut) return kept;
  const last = kept.at(-1);
  return [...kept, last?.inks === undefined ? { text: '…' } : { text: '…', inks: last.inks }];
}

function fits(line: Line, width: number): boolean {
  return lineWidth(line) <= width && !line.some(({ text }) => text.includes('\t'));
}

interface Piece extends TextSegment {
  readonly of: Span;
}

/** No row begins with the first of these, or ends with the second. */
const closing = /^[\p{Pe}\p{Pf}\p{Po}]/u;
const opening = /^[\p{Ps}\p{Pi}]/u;

/** Breaks one line into rows. */
class RowBreaker {
  readonly #line: Line;
  readonly #width: number;
  /** Whether rows end inside of long words; else the terminal breaks these. */
  readonly #breaksWords: boolean;
  readonly #hanging: readonly Span[];
  readonly #rows: Span[][] = [[]];
  #column = 0;
  /** Whether the row has nothing yet but what hangs. */
  #isFresh = true;
  /** Spaces and the word behind them, which has no end yet. */
  #gap: Piece[] = [];
  #word: Piece[] = [];

  constructor(line: Line, width: number, breaksWords: boolean) {
    [this.#line, this.#width, this.#breaksWords] = [line, Math.max(1, width), breaksWords];
    const leading = line.findIndex(({ hang }) => hang === undefined);
    const hanging = line
      .slice(0, leading < 0 ? line.length : leading)
      .map(({ hang = '', ...lead }): Span => ({ ...lead, text: hang }));
    this.#hanging = lineWidth(hanging) > width / 2 ? [] : hanging;
  }

  rows(): Line[] {
    for (const of of this.#line) {
      const isFixed = of.isVerbatim === true || of.hang !== undefined;
      for (const segment of segmentText(of.text)) {
        if (isFixed || segment.isSpace || this.#mayBreakBefore(segment)) this.#endWord();
        if (isFixed) this.#addAnywhere({ ...this.#spaced(segment), of });
        else (segment.isSpace ? this.#gap : this.#word).push({ ...this.#spaced(segment), of });
      }
    }
    this.#endWord();
    for (const piece of this.#gap) if (this.#column + piece.columns <= this.#width) this.#append(piece);
    return this.#rows;
  }

  /** Between wide characters a row may end, but for punctuation. */
  #mayBreakBefore({ text, isWide }: TextSegment): boolean {
    const before = this.#word.at(-1);
    if (before === undefined || !(isWide || before.isWide)) return false;
    return !closing.test(text) && !opening.test(before.text);
  }

  #endWord(): void {
    const [gap, word] = [this.#gap, this.#word];
    if (word.length === 0) return;
    [this.#gap, this.#word] = [[], []];
    const columns = width(word);
    if (!this.#isFresh && this.#column + width(gap) + columns > this.#width) this.#startRow();
    else for (const piece of gap) this.#addAnywhere(piece);
    const isWhole = this.#column + columns <= this.#width;
    for (const piece of word)
      if (isWhole) this.#append(piece);
      else this.#addAnywhere(piece);
  }

  /** A tab is the spaces up to the next stop. */
  #spaced(segment: TextSegment): TextSegment {
    if (segment.text !== '\t') return segment;
    const columns = tabStop - ((this.#column + width(this.#gap)) % tabStop);
    return { ...segment, text: ' '.repeat(columns), columns };
  }

  /** Adds text that breaks at the edge of the window. */
  #addAnywhere({ text, columns, isWide, of }: Piece): void {
    const isOneUnit = isWide || columns !== text.length;
    for (let from = 0; from < text.length; ) {
      const least = Math.min(isOneUnit ? columns : 1, this.#width);
      if (this.#column + least > this.#width) {
        if (this.#breaksWords) this.#startRow();
        else this.#column = 0;
      }
      if (isOneUnit) return this.#append({ text: columns > this.#width ? '?' : text, columns: least, of });
      const part = text.slice(from, from + this.#width - this.#column);
      this.#append({ text: part, columns: part.length, of });
      from += part.length;
    }
  }

  #startRow(): void {
    this.#rows.push([...this.#hanging]);
    this.#column = lineWidth(this.#hanging);
    this.#isFresh = true;
  }

  #append({ text, columns, of }: Pick<Piece, 'text' | 'columns' | 'of'>): void {
    const row = this.#rows.at(-1) as Span[];
    const last = row.at(-1);
    const isSame =
      last?.inks === of.inks && last?.link === of.link && last?.hang === undefined && of.hang === undefined;
    if (last !== undefined && isSame) row[row.length - 1] = { ...last, text: last.text + text };
    else row.push({ ...of, text });
    this.#column += columns;
    this.#isFresh &&= of.hang !== undefined;
  }
}

function width(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { columns }) => sum + columns, 0);
}

import type { Line } from './styled-line.ts';

/** The characters that a terminal draws in two columns: East Asian scripts, their full-width forms, and emoji. */
const wide =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b1ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const isPlain = /^[\u0020-\u007e]*$/;
/** Terminals have a tab stop every eight columns. */
export const tabStop = 8;

/** Returns the number of columns that a terminal needs for one character as a person sees it. */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x7f) return code < 0x20 ? 0 : 1;
  if (noWidth.test(grapheme)) return 0;
  // A picture is wide when the selector says so, and a pair of regional letters is a flag.
  if (grapheme.includes('\ufe0f') || (code >= 0x1_f1_e6 && code <= 0x1_f1_ff)) return 2;
  return wide.test(grapheme) ? 2 : 1;
}

/** Returns the number of columns that a text without line breaks needs; a tab counts up to the next stop. */
export function textWidth(text: string, from = 0): number {
  if (isPlain.test(text)) return text.length;
  let column = from;
  for (const { segment } of segmenter.segment(text))
    column += segment === '\t' ? tabStop - (column % tabStop) : graphemeWidth(segment);
  return column - from;
}

/** Returns the number of columns of a line. */
export function lineWidth(line: Line): number {
  return line.reduce((column, { text }) => column + textWidth(text, column), 0);
}

/** A word or spaces of plain text, or one other character as a person sees it. */
export interface TextSegment {
  readonly text: string;
  readonly columns: number;
  readonly isSpace: boolean;
  /** Whether a terminal draws it in two columns. */
  readonly isWide: boolean;
}

/** Plain text, and other text with the character before it, which may belong to it. */
const runs = /[\u0020-\u007e]+(?=[\u0020-\u007e]|$)|[\u0020-\u007e]?[^\u0020-\u007e]+/g;
const plainPieces = / +|[^ ]+/g;

/** Splits a text into what a row may end before or after. */
export function* segmentText(text: string): Generator<TextSegment> {
  for (const [run] of text.matchAll(runs))
    if (isPlain.test(run))
      for (const [piece] of run.matchAll(plainPieces))
        yield { text: piece, columns: piece.length, isSpace: piece.startsWith(' '), isWide: false };
    else
      for (const { segment } of segmenter.segment(run)) {
        const columns = graphemeWidth(segment);
        yield { text: segment, columns, isSpace: segment === ' ' || segment === '\t', isWide: columns > 1 };
      }
}

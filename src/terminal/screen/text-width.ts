import type { Line } from './styled-line.ts';

/** The code points that a terminal draws in two columns, as pairs of first and last. */
const wide: readonly (readonly [number, number])[] = [
  [0x11_00, 0x11_5f],
  [0x23_1a, 0x23_1b],
  [0x23_29, 0x23_2a],
  [0x23_e9, 0x23_ec],
  [0x23_f0, 0x23_f0],
  [0x23_f3, 0x23_f3],
  [0x25_fd, 0x25_fe],
  [0x26_14, 0x26_15],
  [0x26_48, 0x26_53],
  [0x26_7f, 0x26_7f],
  [0x26_93, 0x26_93],
  [0x26_a1, 0x26_a1],
  [0x26_aa, 0x26_ab],
  [0x26_bd, 0x26_be],
  [0x26_c4, 0x26_c5],
  [0x26_ce, 0x26_ce],
  [0x26_d4, 0x26_d4],
  [0x26_ea, 0x26_ea],
  [0x26_f2, 0x26_f3],
  [0x26_f5, 0x26_f5],
  [0x26_fa, 0x26_fa],
  [0x26_fd, 0x26_fd],
  [0x27_05, 0x27_05],
  [0x27_0a, 0x27_0b],
  [0x27_28, 0x27_28],
  [0x27_4c, 0x27_4c],
  [0x27_4e, 0x27_4e],
  [0x27_53, 0x27_55],
  [0x27_57, 0x27_57],
  [0x27_95, 0x27_97],
  [0x27_b0, 0x27_b0],
  [0x27_bf, 0x27_bf],
  [0x2b_1b, 0x2b_1c],
  [0x2b_50, 0x2b_50],
  [0x2b_55, 0x2b_55],
  [0x2e_80, 0x30_3e],
  [0x30_41, 0x33_ff],
  [0x34_00, 0x4d_bf],
  [0x4e_00, 0xa4_cf],
  [0xa9_60, 0xa9_7c],
  [0xac_00, 0xd7_a3],
  [0xf9_00, 0xfa_ff],
  [0xfe_10, 0xfe_19],
  [0xfe_30, 0xfe_6f],
  [0xff_00, 0xff_60],
  [0xff_e0, 0xff_e6],
  [0x1_6f_e0, 0x1_b1_ff],
  [0x1_f0_04, 0x1_f0_04],
  [0x1_f0_cf, 0x1_f0_cf],
  [0x1_f1_8e, 0x1_f1_8e],
  [0x1_f1_91, 0x1_f1_9a],
  [0x1_f2_00, 0x1_f3_20],
  [0x1_f3_2d, 0x1_f3_35],
  [0x1_f3_37, 0x1_f3_7c],
  [0x1_f3_7e, 0x1_f3_93],
  [0x1_f3_a0, 0x1_f3_ca],
  [0x1_f3_cf, 0x1_f3_d3],
  [0x1_f3_e0, 0x1_f3_f0],
  [0x1_f3_f4, 0x1_f3_f4],
  [0x1_f3_f8, 0x1_f4_3e],
  [0x1_f4_40, 0x1_f4_40],
  [0x1_f4_42, 0x1_f4_fc],
  [0x1_f4_ff, 0x1_f5_3d],
  [0x1_f5_4b, 0x1_f5_67],
  [0x1_f5_7a, 0x1_f5_7a],
  [0x1_f5_95, 0x1_f5_96],
  [0x1_f5_a4, 0x1_f5_a4],
  [0x1_f5_fb, 0x1_f6_4f],
  [0x1_f6_80, 0x1_f6_c5],
  [0x1_f6_cc, 0x1_f6_cc],
  [0x1_f6_d0, 0x1_f6_d7],
  [0x1_f6_dc, 0x1_f6_df],
  [0x1_f6_eb, 0x1_f6_ec],
  [0x1_f6_f4, 0x1_f6_fc],
  [0x1_f7_e0, 0x1_f7_f0],
  [0x1_f9_0c, 0x1_f9_ff],
  [0x1_fa_70, 0x1_fa_ff],
  [0x2_00_00, 0x3_ff_fd],
];

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
const isPlain = /^[\u0020-\u007e]*$/;
/** Terminals have a tab stop every eight columns. */
export const tabStop = 8;

/** Returns the number of columns that a terminal needs for one character as a person sees it. */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x7f) return code < 0x20 ? 0 : 1;
  const first = String.fromCodePoint(code);
  if (noWidth.test(first)) return 0;
  // A picture is wide when the selector says so, and a pair of regional letters is a flag.
  if (grapheme.includes('\ufe0f') || (code >= 0x1_f1_e6 && code <= 0x1_f1_ff)) return 2;
  return isWide(code) ? 2 : 1;
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

function isWide(code: number): boolean {
  let [low, high] = [0, wide.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = wide[middle] as readonly [number, number];
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return true;
  }
  return false;
}

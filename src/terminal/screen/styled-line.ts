/** A way to draw a text. Colours never carry a meaning alone. */
export type Ink =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'inverse'
  | 'red'
  | 'green'
  | 'yellow'
  | 'cyan'
  | 'magenta';

/** A piece of a line, without control characters. */
export interface Span {
  readonly text: string;
  readonly inks?: readonly Ink[];
}

/** One logical line: the terminal wraps it. */
export type Line = readonly Span[];

const codes: Readonly<Record<Ink, number>> = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  inverse: 7,
  strike: 9,
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
  cyan: 36,
};

/** How much a terminal may be styled: colours, only bold and the like, or nothing at all. */
export type Styling = 'colour' | 'plain' | 'none';

/** Creates a span. */
export function span(text: string, ...inks: readonly Ink[]): Span {
  return inks.length === 0 ? { text } : { text, inks };
}

/** Returns a line without its styles. */
export function textOfLine(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Returns a line with escape sequences, each style closed at the end of its span. */
export function ansiOfLine(line: Line, styling: Styling): string {
  if (styling === 'none') return textOfLine(line);
  return line
    .map(({ text, inks = [] }) => {
      const used = inks.map(ink => codes[ink]).filter(code => styling === 'colour' || code < 30);
      return used.length === 0 || text === '' ? text : `\u001b[${used.join(';')}m${text}\u001b[0m`;
    })
    .join('');
}

/** Returns a line with further styles on every span. */
export function inked(line: Line, ...inks: readonly Ink[]): Line {
  return line.map(piece => ({ text: piece.text, inks: [...(piece.inks ?? []), ...inks] }));
}

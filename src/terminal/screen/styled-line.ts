import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rowText } from '../../base/terminal-text.ts';

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

/** A piece of a line; what a terminal would execute in its text is not written. */
export interface Span {
  readonly text: string;
  readonly inks?: readonly Ink[];
  /** Where a click leads: a target that is safe to write, see `link-target.ts`. */
  readonly link?: string;
  /** Of a span at the start of a line: what stands there in the rows that continue the line, such as the bar of a quote. */
  readonly hang?: string;
  /** Whether it is shown as it was written, such as code: rows do not break at its spaces. */
  readonly isVerbatim?: boolean;
}

/** One logical line: `wrap-line.ts` breaks it into rows. */
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

/** How a terminal may be styled. */
export interface Styling {
  /** Colours, only bold and the like, or nothing at all. */
  readonly inks: 'colour' | 'plain' | 'none';
  /** Whether it shows links. */
  readonly hasLinks: boolean;
}

/** Creates a span. */
export function span(text: string, ...inks: readonly Ink[]): Span {
  return inks.length === 0 ? { text } : { text, inks };
}

/** Creates the mark at the start of a line; rows that continue the line begin with `hang` there, by default with spaces. */
export function lead(mark: Span, hang: string = ' '.repeat(mark.text.length)): Span {
  return { ...mark, hang };
}

/** Returns a line as it was written: rows do not break at its spaces. */
export function verbatim(line: Line): Line {
  return line.map(piece => ({ ...piece, isVerbatim: true }));
}

/** Returns a span that leads somewhere when it is clicked; the same span without a target. */
export function linked(piece: Span, link: string | undefined): Span {
  return link === undefined ? piece : { ...piece, link };
}

/** Returns a line without its styles. */
export function textOfLine(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Returns a line with escape sequences, each style closed at the end of its span. */
export function ansiOfLine(line: Line, { inks: allowed, hasLinks }: Styling): string {
  return line
    .map(({ text: given, inks = [], link }) => {
      const text = rowText(given);
      if (allowed === 'none') return text;
      const used = inks.map(ink => codes[ink]).filter(code => allowed === 'colour' || code < 30);
      const styled = used.length === 0 || text === '' ? text : `\u001b[${used.join(';')}m${text}\u001b[0m`;
      return link === undefined || !hasLinks || text === '' ? styled : linkTo(link) + styled + linkTo('');
    })
    .join('');
}

function linkTo(target: string): string {
  return `\u001b]8;;${target}\u001b\\`;
}

/** Returns a line with further styles on every span. */
export function inked(line: Line, ...inks: readonly Ink[]): Line {
  return line.map(piece => ({ ...piece, inks: [...(piece.inks ?? []), ...inks] }));
}

/** The longest target that is written into a terminal. */
const mostCharacters = 500;
const printable = /^[\u0021-\u007e]+$/;

/** Returns the address of a page as the target of a link; undefined when it is none, or not safe to write. */
export function pageTarget(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  return safeTarget(new URL(address).href);
}

/** Returns a file of a folder as the target of a link; undefined when it is not safe to write. */
export function fileTarget(folder: string, path: string): string | undefined {
  return safeTarget(pathToFileURL(isAbsolute(path) ? path : join(folder, path)).href);
}

/** A target has only printable characters of ASCII: nothing in it ends the sequence that it is written in. */
function safeTarget(target: string): string | undefined {
  return target.length <= mostCharacters && printable.test(target) ? target : undefined;
}

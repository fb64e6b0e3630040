import { lexer, type Token, type Tokens } from 'marked';
import { rowLines, rowText } from '../../base/terminal-text.ts';
import { withoutEntities } from '../../projections/presentation/entities.ts';
import {
  type Ink,
  inked,
  lead,
  type Line,
  linked,
  pageTarget,
  span,
  type Span,
  textOfLine,
  verbatim,
} from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';
import { wrapLine } from '../screen/wrap-line.ts';
import { Highlighter } from './highlight.ts';

/** A piece of Markdown that can be drawn by itself. */
export type MarkdownUnit =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'table'; readonly lines: readonly string[] }
  | { readonly kind: 'fence'; readonly language: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'fence_end' }
  /** Too long to wait for its end: shown as it is written. */
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'blank' };

/** Draws the pieces of one text, in their order: code is highlighted from its fence to its end. */
export class MarkdownLines {
  #code: Highlighter | undefined;

  /** Returns the lines of the next piece. Prose is one line for each line that was written. */
  draw(unit: MarkdownUnit, width: number): readonly Line[] {
    switch (unit.kind) {
      case 'prose':
        return proseLines(unit.text);
      case 'table':
        return tableLines(unit.lines, width, text => inlineSpans(text));
      case 'fence':
        this.#code = new Highlighter(unit.language);
        return unit.language === '' ? [] : [[span(rowText(unit.language), 'dim')]];
      case 'code':
        return [verbatim(this.#code?.line(rowText(unit.text)) ?? [span(rowText(unit.text))])];
      case 'fence_end':
        this.#code = undefined;
        return [];
      case 'raw':
        return [[span(rowText(unit.text))]];
      case 'blank':
        return [[]];
      default:
        return unit satisfies never;
    }
  }
}

/** Draws a paragraph, heading, quote or list item. */
function proseLines(text: string): Line[] {
  // The indent of a nested item would make it code when it stands alone.
  const [indent = ''] = /^[ \t]*/.exec(text) ?? [];
  const own = text.split('\n').map(line => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()));
  const lines = lexer(own.join('\n')).flatMap(token => blockLines(token));
  return indent === '' ? lines : lines.map(line => [lead(span(rowText(indent))), ...line]);
}

function blockLines(token: Token): Line[] {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      return splitLines(toSpans(tokens)).map(line =>
        inked(line, 'bold', ...(depth === 1 ? (['underline'] as const) : [])),
      );
    }
    case 'list': {
      const { items, ordered, start } = token as Tokens.List;
      return items.flatMap((item, index) => itemLines(item, ordered ? `${(start || 1) + index}. ` : '• '));
    }
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens
        .flatMap(blockLines)
        .map(line => [lead(span('▎ ', 'dim'), '▎ '), ...inked(line, 'italic')]);
    case 'hr':
      return [[span('─'.repeat(24), 'dim')]];
    case 'space':
    case 'checkbox':
      return [];
    case 'paragraph':
    case 'text':
      return splitLines(toSpans((token as Tokens.Paragraph).tokens ?? [token]));
    default:
      return rowLines(token.raw.replace(/\n+$/, '')).map(line => [span(line)]);
  }
}

/** Draws a list item; a task has a checkbox instead of the list marker. */
function itemLines({ task, checked, tokens }: Tokens.ListItem, mark: string): Line[] {
  const first = task ? (checked === true ? span('☑ ', 'green') : span('☐ ')) : span(mark);
  return tokens
    .flatMap(blockLines)
    .map((line, index) => [lead(index === 0 ? first : span(' '.repeat(first.text.length))), ...line]);
}

/** Draws the styles inside a line: emphasis, code, links. */
function inlineSpans(text: string): Line {
  const [token] = lexer(text);
  return token === undefined || !('tokens' in token) || token.tokens === undefined
    ? [span(rowText(text))]
    : toSpans(token.tokens);
}

function toSpans(tokens: readonly Token[], inks: readonly Ink[] = []): Span[] {
  return tokens.flatMap(token => {
    switch (token.type) {
      case 'strong':
        return toSpans((token as Tokens.Strong).tokens, [...inks, 'bold']);
      case 'em':
        return toSpans((token as Tokens.Em).tokens, [...inks, 'italic']);
      case 'del':
        return toSpans((token as Tokens.Del).tokens, [...inks, 'strike']);
      case 'codespan':
        return pieces((token as Tokens.Codespan).text, [...inks, 'cyan']);
      case 'link': {
        const { text, href, tokens: inner } = token as Tokens.Link;
        const target = pageTarget(href);
        const shown = toSpans(inner, [...inks, 'underline']).map(piece => linked(piece, target));
        return text === href || `mailto:${text}` === href
          ? shown
          : [...shown, ...pieces(` (${href})`, [...inks, 'dim'])];
      }
      case 'image': {
        const { text, href } = token as Tokens.Image;
        return pieces(`[image: ${text}] (${href})`, inks);
      }
      case 'checkbox':
        return [];
      case 'br':
        return pieces('\n', inks);
      case 'escape':
        return pieces((token as Tokens.Escape).text, inks);
      case 'text': {
        const { tokens: inner, text } = token as Tokens.Text;
        return inner === undefined ? pieces(text, inks) : toSpans(inner, inks);
      }
      default:
        return pieces(token.raw, inks);
    }
  });
}

/** Entities are decoded as a browser would: the lexer leaves them. */
function pieces(text: string, inks: readonly Ink[]): Span[] {
  return withoutEntities(text)
    .split('\n')
    .flatMap((line, index) => [...(index === 0 ? [] : [span('\n')]), span(rowText(line), ...inks)]);
}

/** Splits at the line breaks that were written. */
function splitLines(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]];
  for (const piece of spans)
    if (piece.text === '\n') lines.push([]);
    else if (piece.text !== '') lines.at(-1)?.push(piece);
  return lines;
}

/** Text in fewer columns is hard to read. */
const leastColumns = 12;

/**
 * Draws a Markdown table with aligned columns. Cells are wrapped where the table is wider than the window; each is a line of
 * a record where a column would be too narrow.
 */
export function tableLines(lines: readonly string[], width: number, draw: (text: string) => Line): Line[] {
  const [head = '', rule = '', ...body] = lines;
  const alignments = cells(rule).map(cell =>
    cell.endsWith(':') ? (cell.startsWith(':') ? 'centre' : 'right') : 'left',
  );
  const rows = [head, ...body].map(line => cells(line).map(cell => draw(cell)));
  const count = Math.max(...rows.map(row => row.length));
  const wanted = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map(row => lineWidth(row[column] ?? []))),
  );
  const widths = shareColumns(wanted, width - 3 * (count - 1));
  const isReadable = widths.every((columns, at) => {
    const words = rows.flatMap(row => textOfLine(row[at] ?? []).match(/[\u0021-\u007e]+/g) ?? []);
    const longest = Math.max(leastColumns, ...words.map(word => word.length));
    return columns >= Math.min(wanted[at] ?? 0, longest);
  });
  if (!isReadable) return recordLines(rows);
  const drawn = rows.map((row, index) => {
    const wrapped = widths.map((columns, column) => wrapLine(row[column] ?? [], columns));
    return Array.from({ length: Math.max(...wrapped.map(each => each.length)) }, (_, at): Line => {
      const line = widths.flatMap((columns, column): Span[] => [
        ...(column === 0 ? [] : [span(' │ ', 'dim')]),
        ...padded(wrapped[column]?.[at] ?? [], columns, alignments[column]),
      ]);
      return index === 0 ? inked(line, 'bold') : line;
    });
  });
  const ruler = [span(widths.map(columns => '─'.repeat(columns)).join('─┼─'), 'dim')];
  return [...(drawn[0] ?? []), ruler, ...drawn.slice(1).flat()];
}

/** Gives columns what they want where that is no more than their share; the others share the rest. */
function shareColumns(wanted: readonly number[], room: number): number[] {
  const widths = wanted.map(() => 0);
  let [left, open] = [room, wanted.map((_, at) => at)];
  for (;;) {
    const share = Math.floor(left / Math.max(1, open.length));
    const small = open.filter(at => (wanted[at] ?? 0) <= share);
    for (const at of small.length > 0 ? small : open) {
      widths[at] = Math.min(wanted[at] ?? 0, share);
      left -= widths[at];
    }
    if (small.length === 0) return widths;
    open = open.filter(at => !small.includes(at));
    if (open.length === 0) return widths;
  }
}

/** Draws each row as a record: the cells after the names of their columns. */
function recordLines([head = [], ...body]: readonly (readonly Line[])[]): Line[] {
  return body.flatMap((row, at): Line[] => [
    ...(at === 0 ? [] : [[]]),
    ...row.map((cell, column): Line => {
      const name = head[column] ?? [];
      const mark = lead(span(column === 0 ? '▪ ' : '  ', 'dim'), '    ');
      return name.length === 0 ? [mark, ...cell] : [mark, ...inked(name, 'bold'), span(': ', 'dim'), ...cell];
    }),
  ]);
}

function padded(cell: Line, columns: number, alignment = 'left'): Line {
  const space = columns - lineWidth(cell);
  const before = alignment === 'right' ? space : alignment === 'centre' ? Math.floor(space / 2) : 0;
  return [span(' '.repeat(before)), ...cell, span(' '.repeat(space - before))];
}

function cells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'));
}

import { inked, lead, type Line, span, type Span, textOfLine } from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';
import { wrapLine } from '../screen/wrap-line.ts';

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

import { inked, type Line, span, type Span } from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';

/** Draws a Markdown table with aligned columns; each cell on its own line under its row when it does not fit the width. */
export function tableLines(lines: readonly string[], width: number, draw: (text: string) => Line): Line[] {
  const [head = '', rule = '', ...body] = lines;
  const alignments = cells(rule).map(cell =>
    cell.endsWith(':') ? (cell.startsWith(':') ? 'centre' : 'right') : 'left',
  );
  const rows = [head, ...body].map(line => cells(line).map(cell => draw(cell)));
  const count = Math.max(...rows.map(row => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map(row => lineWidth(row[column] ?? []))),
  );
  const total = widths.reduce((sum, columns) => sum + columns + 3, -3);
  if (total > width) return recordLines(rows);
  const drawn = rows.map((row, index) => {
    const line = widths.flatMap((columns, column): Span[] => [
      ...(column === 0 ? [] : [span(' │ ', 'dim')]),
      ...padded(row[column] ?? [], columns, alignments[column]),
    ]);
    return index === 0 ? inked(line, 'bold') : line;
  });
  const ruler = [span(widths.map(columns => '─'.repeat(columns)).join('─┼─'), 'dim')];
  return [drawn[0] ?? [], ruler, ...drawn.slice(1)];
}

/** Draws each row as a record: the cells after the names of their columns. */
function recordLines([head = [], ...body]: readonly (readonly Line[])[]): Line[] {
  return body.flatMap((row, at): Line[] => [
    ...(at === 0 ? [] : [[]]),
    ...row.map((cell, column): Line => {
      const name = head[column] ?? [];
      const mark = span(column === 0 ? '▪ ' : '  ', 'dim');
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

import { inked, type Line, span, type Span } from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';
import { rowText } from '../screen/terminal-text.ts';

/** Draws a Markdown table with aligned columns; as it was written when it does not fit the width. */
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
  if (total > width) return lines.map(line => [span(rowText(line))]);
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

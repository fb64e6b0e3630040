import { plainText } from '../events/terminal-text.ts';

/** Returns rows as lines with aligned columns; a cell has no line breaks or control characters. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map(row => row.map(plainText));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map(row => row[column]?.length ?? 0)));
  return clean.map(row =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

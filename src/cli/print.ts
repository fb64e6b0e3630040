import { standardOutput } from '../control/standard-output.ts';
import { plainText } from '../base/terminal-text.ts';
import { type Line, span, textOfLine } from '../terminal/screen/styled-line.ts';
import { printedLines } from '../terminal/screen/wrap-line.ts';

/** The option of a command that prints JSON. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Prints one result: as JSON when requested, else as lines of text. */
export async function printResult(
  { json }: JsonOption,
  result: unknown,
  lines: string | readonly Line[],
): Promise<void> {
  if (json === true) await standardOutput.writeJson(result);
  else await writeProse(typeof lines === 'string' ? lines.split('\n') : lines);
}

/** Prints one JSON value per line; stops when the output is closed. */
export async function printJson(values: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  for await (const value of values) if (!(await standardOutput.writeJson(value))) return;
}

/** Prints rows with aligned columns. */
export async function printTable(rows: readonly (readonly string[])[]): Promise<void> {
  if (rows.length > 0) await standardOutput.write(`${tableLines(rows).join('\n')}\n`);
}

/** Prints a list: as JSON when requested, else as a table, or a sentence when it is empty. */
export async function printList<Value>(
  { json }: JsonOption,
  values: readonly Value[],
  { head = [], toRow, empty }: { head?: readonly string[][]; toRow: (value: Value) => string[]; empty: string },
): Promise<void> {
  if (json === true) return printJson(values);
  if (values.length === 0) await standardOutput.write(`${empty}\n`);
  else await printTable([...head, ...values.map(toRow)]);
}

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

/** Writes lines to standard output; at a terminal they break at spaces, never inside a word. */
export async function writeProse(lines: readonly (string | Line)[]): Promise<void> {
  const { columns, isTerminal } = standardOutput;
  const whole = lines.map(line => (typeof line === 'string' ? [span(line)] : line));
  const rows = isTerminal ? whole.flatMap(line => printedLines(line, columns)) : whole;
  await standardOutput.write(`${rows.map(textOfLine).join('\n')}\n`);
}

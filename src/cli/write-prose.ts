import { standardOutput } from '../control/standard-output.ts';
import { span } from '../terminal/screen/styled-line.ts';
import { printedLines } from '../terminal/screen/wrap-line.ts';

/** Writes lines to standard output; at a terminal they break at spaces, never inside a word. */
export async function writeProse(lines: readonly string[]): Promise<void> {
  const { columns, isTerminal } = standardOutput;
  const rows = isTerminal
    ? lines.flatMap(line => printedLines([span(line)], columns).map(row => row.map(({ text }) => text).join('')))
    : lines;
  await standardOutput.write(`${rows.join('\n')}\n`);
}

import type { Row } from '../rows/row.ts';
import { type Ink, lead, type Line, span } from '../screen/styled-line.ts';
import { rowLines } from '../../events/terminal-text.ts';

let count = 0;

/** Returns a row for something that is not in the log, such as the answer to a command. */
export function noteRow(text: string, level: 'info' | 'warning' | 'error' = 'info'): Row {
  const marks = { info: ['· ', 'dim'], warning: ['! ', 'yellow'], error: ['✗ ', 'red'] } as const;
  const [mark, ink]: readonly [string, Ink] = marks[level];
  const [first = '', ...more] = rowLines(text.trimEnd());
  return linesRow([
    [lead(span(mark, ink)), span(first, ...(level === 'info' ? (['dim'] as const) : []))],
    ...more.map((line): Line => [lead(span('  ')), span(line, 'dim')]),
  ]);
}

/** Returns what a person reads when the store cannot be used, and without a problem when it can again. */
export function storeText(problem: string | undefined): string {
  return problem === undefined ? 'The store can be used again.' : `The store cannot be used. ${problem}`;
}

/** Returns a row with lines as they are. */
export function linesRow(lines: readonly Line[]): Row {
  return { id: `note:${count++}`, kind: 'notice', messageId: '', lines: () => lines };
}

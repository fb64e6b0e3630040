import { rowLines } from '../../base/terminal-text.ts';
import { type Ink, lead, type Line, span } from '../screen/styled-line.ts';

/** The kind of a row. An empty line separates rows of different kinds. */
export type RowKind = 'user' | 'text' | 'tool' | 'reasoning' | 'notice' | 'turn';

/** A finished piece of a thread. Its text never changes; only its layout depends on the width. */
export interface Row {
  readonly id: string;
  readonly kind: RowKind;
  /** The message that it belongs to. */
  readonly messageId: string;
  /** Whether it continues the row before it, so that nothing separates them. */
  readonly isContinued?: boolean;
  /** The lines of the row for a window of this width; longer ones are wrapped where they are shown. */
  lines(width: number): readonly Line[];
  /** Everything of it, for the transcript: absent when `lines` hides nothing. */
  readonly whole?: ((width: number) => readonly Line[]) | undefined;
}

/** The most characters that one frame prints: what is more follows in the next frames. */
const mostPerFrame = 32_768;

/** Turns finished rows into the lines to print, with an empty line between rows of different kinds. */
export class RowPrinter {
  #last: Row | undefined;
  #waiting: Line[] = [];

  add(rows: readonly Row[], width: number): void {
    for (const row of rows) {
      const lines = row.lines(width);
      if (lines.length === 0) continue;
      if (this.#isApart(row)) this.#waiting.push([]);
      this.#waiting.push(...lines);
      this.#last = row;
    }
  }

  /** Whether lines wait for the next frame. */
  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns all lines that wait. */
  takeAll(): Line[] {
    return this.#waiting.splice(0);
  }

  /** Returns the lines of the next frame. */
  next(): Line[] {
    let count = 0;
    let size = 0;
    while (count < this.#waiting.length && (size < mostPerFrame || count === 0))
      size += (this.#waiting[count++] as Line).reduce((sum, { text }) => sum + text.length, 1);
    return this.#waiting.splice(0, count);
  }

  #isApart({ kind, isContinued }: Row): boolean {
    if (this.#last === undefined || isContinued === true) return false;
    return kind !== this.#last.kind || kind === 'user' || kind === 'text';
  }
}

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

/** Returns a row with lines as they are. */
export function linesRow(lines: readonly Line[]): Row {
  return { id: `note:${count++}`, kind: 'notice', messageId: '', lines: () => lines };
}

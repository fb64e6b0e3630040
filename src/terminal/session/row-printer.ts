import type { Row } from '../rows/row.ts';
import type { Line } from '../screen/styled-line.ts';

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

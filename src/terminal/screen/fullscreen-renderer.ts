import type { Frame, ScreenSize } from './inline-renderer.ts';
import { ansiOfLine, type Line, type Styling } from './styled-line.ts';
import { cutLine, wrapLine } from './wrap-line.ts';

const escape = '\u001b[';
/** How many printed lines are kept to be shown; the transcript has all of them. */
const mostHistory = 2_000;

/**
 * Draws frames in the alternate screen: printed lines at the top, the live area at the bottom. Writes only changed
 * rows.
 */
export class FullscreenRenderer {
  readonly #styling: Styling;
  #size: ScreenSize;
  #history: readonly Line[];
  #shown: readonly string[] = [];

  /** `history`: the lines that were printed before. */
  constructor(size: ScreenSize, styling: Styling, history: readonly Line[]) {
    this.#size = size;
    this.#styling = styling;
    this.#history = [...history];
  }

  resize(size: ScreenSize): void {
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#shown = [];
  }

  frame({ printed, live, cursor }: Frame): string {
    const { columns, rows } = this.#size;
    this.#history = [...this.#history, ...printed].slice(-mostHistory);
    const bottom = live.slice(0, rows).map(line => cutLine(line, columns));
    const room = rows - bottom.length;
    const above: Line[] = [];
    for (let at = this.#history.length - 1; at >= 0 && above.length < room; at--)
      above.unshift(...wrapLine(this.#history[at] ?? [], columns));
    const top = above.slice(Math.max(0, above.length - room));
    const lines = [
      ...top,
      ...bottom,
      ...Array.from({ length: Math.max(0, rows - top.length - bottom.length) }, () => []),
    ];
    const next = lines.slice(0, rows).map(line => ansiOfLine(line, this.#styling));
    const changed = next.flatMap((line, at) =>
      line === this.#shown[at] ? [] : [`${escape}${at + 1};1H${escape}K${line}`],
    );
    this.#shown = next;
    const place =
      cursor === undefined ? '' : `${escape}${top.length + cursor.line + 1};${cursor.column + 1}H${escape}?25h`;
    return `${escape}?2026h${escape}?25l${escape}?7l${changed.join('')}${escape}?7h${place}${escape}?2026l`;
  }

  /** Makes the next frame draw every line again. */
  remove(): string {
    this.#shown = [];
    return '';
  }
}

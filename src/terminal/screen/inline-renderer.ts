import { ansiOfLine, type Line, type Styling } from './styled-line.ts';
import { lineWidth } from './text-width.ts';
import { cutLine, printedLines } from './wrap-line.ts';

/** A frame: lines that are printed once, and the live area below them that is redrawn. */
export interface Frame {
  /** Finished lines, appended above the live area. */
  readonly printed: readonly Line[];
  /** The live area: each line is one row of the screen. */
  readonly live: readonly Line[];
  /** Where the cursor stands in the live area; hidden when absent. */
  readonly cursor?: { readonly line: number; readonly column: number } | undefined;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const escape = '\u001b[';
const beginFrame = `${escape}?2026h${escape}?25l`;
const endFrame = `${escape}?2026l`;
const showCursor = `${escape}?25h`;
const eraseLine = `${escape}K`;
const eraseBelow = `${escape}J`;
/** A line of the live area never takes a second row, even where this program and the terminal disagree on widths. */
const wrapOff = `${escape}?7l`;
const wrapOn = `${escape}?7h`;

/** Returns how many rows the live area may take: two rows of what was printed stay visible. */
export function mostLiveRows({ rows }: ScreenSize): number {
  return Math.max(1, rows - 2);
}

/**
 * Turns frames into bytes for a terminal in which everything above the live area belongs to its scrollback. Printed lines
 * are followed by plain newlines and never touched again; of the live area only the lines that changed are written. The
 * screen and the scrollback are never cleared.
 */
export class InlineRenderer {
  readonly #styling: Styling;
  #size: ScreenSize;
  #shown: readonly string[] = [];
  #widths: readonly number[] = [];
  #cursorLine = 0;
  #isResized = false;
  #isCursorShown = true;

  constructor(size: ScreenSize, styling: Styling) {
    this.#size = size;
    this.#styling = styling;
  }

  /** Notes the new size of the terminal: the next frame draws the whole live area. */
  resize(size: ScreenSize): void {
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    // A terminal wraps the lines that are wider than it is now.
    const countRows = (width: number) => Math.max(1, Math.ceil(width / size.columns));
    this.#cursorLine = this.#widths.slice(0, this.#cursorLine).reduce((rows, width) => rows + countRows(width), 0);
    this.#size = size;
    this.#isResized = true;
  }

  /** Returns the bytes that show a frame; empty when nothing changed. */
  frame({ printed, live, cursor }: Frame): string {
    const lines = live.slice(0, mostLiveRows(this.#size)).map(line => cutLine(line, this.#size.columns));
    // The live area has no links: their targets would not be bounded by the window.
    const next = lines.map(line => ansiOfLine(line, { ...this.#styling, hasLinks: false }));
    const body = printed.length > 0 || this.#isResized ? this.#whole(printed, next) : this.#changes(next);
    const at =
      cursor === undefined
        ? undefined
        : { line: Math.min(cursor.line, Math.max(0, next.length - 1)), column: cursor.column };
    const isMoved = at !== undefined && (at.line !== this.#cursorLine || body !== '' || at.column !== this.#column);
    if (body === '' && !isMoved && (at !== undefined) === this.#isCursorShown) return '';
    const place = at === undefined ? '' : this.#moveTo(at.line) + column(at.column);
    this.#column = at?.column;
    this.#shown = next;
    this.#widths = lines.map(lineWidth);
    this.#isResized = false;
    this.#isCursorShown = at !== undefined;
    return beginFrame + body + place + (at === undefined ? '' : showCursor) + endFrame;
  }

  #column: number | undefined;

  /** Returns the bytes that remove the live area; the cursor stands where it began. */
  remove(): string {
    const bytes = this.#top() + eraseBelow + showCursor;
    this.#shown = [];
    this.#widths = [];
    this.#cursorLine = 0;
    this.#column = undefined;
    this.#isCursorShown = true;
    return bytes;
  }

  #whole(printed: readonly Line[], next: readonly string[]): string {
    const lines = printed.flatMap(line => printedLines(line, this.#size.columns));
    const rows = lines.map(line => `${ansiOfLine(line, this.#styling)}\r\n`).join('');
    const bytes = this.#top() + eraseBelow + rows + wrapOff + next.join('\r\n') + wrapOn;
    this.#cursorLine = Math.max(0, next.length - 1);
    return bytes;
  }

  #changes(next: readonly string[]): string {
    let bytes = '';
    for (const [index, line] of next.entries()) {
      if (line === this.#shown[index]) continue;
      // A terminal that does not wrap keeps the cursor in the last column: erasing after a full row would remove its end.
      bytes += this.#moveTo(index) + (index < this.#shown.length ? eraseLine : '') + line;
    }
    if (next.length < this.#shown.length) {
      if (next.length === 0) bytes += this.#top() + eraseBelow;
      else bytes += this.#moveTo(next.length) + eraseBelow + this.#moveTo(next.length - 1);
    }
    return bytes === '' ? '' : wrapOff + bytes + wrapOn;
  }

  #top(): string {
    return this.#moveTo(0);
  }

  /** Moves to the first column of a line of the live area; a line below its end is added. */
  #moveTo(line: number): string {
    const distance = line - this.#cursorLine;
    const last = Math.max(0, this.#shown.length - 1, this.#cursorLine);
    this.#cursorLine = line;
    if (distance === 0) return '\r';
    if (distance < 0) return `\r${escape}${-distance}A`;
    const within = Math.max(0, Math.min(line, last) - (line - distance));
    const added = distance - within;
    return `\r${within > 0 ? `${escape}${within}B` : ''}${'\r\n'.repeat(added)}`;
  }
}

function column(at: number): string {
  return at === 0 ? '\r' : `\r${escape}${at}C`;
}

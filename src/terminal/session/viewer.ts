import type { Row } from '../rows/row.ts';
import type { ActionName } from '../keys/actions.ts';
import type { ScreenSize } from '../screen/inline-renderer.ts';
import { ansiOfLine, inked, type Line, span, type Styling, textOfLine } from '../screen/styled-line.ts';
import { cutLine, wrapLine } from '../screen/wrap-line.ts';

interface PlacedLine {
  readonly row: number;
  readonly line: Line;
}

/** Rows that follow each other, and whether the thread has others before and after them. */
export interface ShownRows {
  readonly rows: readonly Row[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/**
 * The rows that an action needs but that are not loaded: `match-…` is the next row with the searched text in that
 * direction.
 */
export type MissingRows = 'earlier' | 'later' | 'start' | 'end' | 'match-after' | 'match-before';

const escape = '\u001b[';

/** The transcript of a thread in the alternate screen: scrolls, unfolds rows, searches, jumps by message. */
export class Viewer {
  readonly #styling: Styling;
  #shown: ShownRows;
  #size: ScreenSize;
  #lines: readonly PlacedLine[] = [];
  #top = 0;
  /** The ids of the rows that hide nothing. */
  readonly #unfolded = new Set<string>();
  #query = '';
  #notice = '';
  /** Whether the person writes what to search for. */
  isTyping = false;

  /** Shows the end first. */
  constructor(shown: ShownRows, size: ScreenSize, styling: Styling) {
    [this.#shown, this.#size, this.#styling] = [shown, size, styling];
    this.#layOut();
    this.#scrollTo(this.#lines.length);
  }

  resize(size: ScreenSize): void {
    this.#size = size;
    this.#keepPlace(this.#shown);
  }

  /** Shows other rows; the row at the top stays where it is when it is among them. A reader at the end follows it. */
  show(shown: ShownRows): void {
    const isAtEnd = !this.#shown.hasLater && this.isAtEnd && !shown.hasLater;
    this.#keepPlace(shown);
    if (isAtEnd) this.#scrollTo(this.#lines.length);
  }

  /** Whether the last line is on the screen. */
  get isAtEnd(): boolean {
    return this.#top + this.#height >= this.#lines.length;
  }

  /** The text of the row at the top, without styles. */
  get rowText(): readonly string[] {
    const row = this.#shown.rows[this.#rowAtTop()];
    return (row?.whole?.(this.#size.columns) ?? row?.lines(this.#size.columns) ?? []).map(textOfLine);
  }

  /** Shows a word to the person until the next action. */
  notify(text: string): void {
    this.#notice = text;
  }

  /** Whether a row has the text that is searched for. */
  readonly matches = (row: Row): boolean => {
    const query = this.#query.toLowerCase();
    return row.lines(this.#size.columns).some(line => textOfLine(line).toLowerCase().includes(query));
  };

  /** Does what an action of the transcript means. Returns the rows that it needs first, when they are not shown. */
  act(action: ActionName): MissingRows | undefined {
    this.#notice = '';
    switch (action) {
      case 'viewer.up':
        return this.#scrollBy(-1);
      case 'viewer.down':
        return this.#scrollBy(1);
      case 'viewer.page-up':
        return this.#scrollBy(1 - this.#height);
      case 'viewer.page-down':
        return this.#scrollBy(this.#height - 1);
      case 'viewer.top':
        if (this.#shown.hasEarlier) return 'start';
        return this.#scrollTo(0);
      case 'viewer.bottom':
        if (this.#shown.hasLater) return 'end';
        return this.#scrollTo(this.#lines.length);
      case 'viewer.search':
        [this.isTyping, this.#query] = [true, ''];
        return undefined;
      case 'viewer.next':
        return this.#find(1);
      case 'viewer.previous':
        return this.#find(-1);
      case 'viewer.message-up':
        return this.#jump(-1);
      case 'viewer.message-down':
        return this.#jump(1);
      case 'viewer.fold':
        return this.#fold();
      default:
        return undefined;
    }
  }

  /** Goes to the first match of what is shown, or to the last. */
  goToMatch(step: 1 | -1): void {
    const isMatch = ({ line }: PlacedLine) => this.#hasQuery(line);
    this.#scrollTo(step === 1 ? this.#lines.findIndex(isMatch) : this.#lines.findLastIndex(isMatch));
  }

  /** Adds to what is searched for. */
  type(text: string): void {
    this.#query += text;
  }

  deleteLeft(): void {
    this.#query = this.#query.slice(0, -1);
  }

  /** Returns the bytes that draw the window. */
  frame(): string {
    const { columns } = this.#size;
    const height = this.#height;
    const shown = this.#lines.slice(this.#top, this.#top + height).map(({ line }) => this.#marked(line));
    const lines = [...shown, ...Array.from({ length: height - shown.length }, (): Line => [])];
    const status = this.isTyping
      ? `/${this.#query}`
      : `${this.#notice === '' ? '' : `${this.#notice} · `}${this.#place} · q close · / search · n N next · { } message · Enter unfold · v editor · [ print`;
    const all = [...lines, cutLine([span(status, 'inverse')], columns)];
    return `${escape}?2026h${escape}?25l${escape}?7l${all.map((line, at) => `${escape}${at + 1};1H${escape}K${ansiOfLine(line, this.#styling)}`).join('')}${escape}?7h${escape}?2026l`;
  }

  get #height(): number {
    return Math.max(1, this.#size.rows - 1);
  }

  /** Where the screen is in what is shown; dots stand for other rows before and after. */
  get #place(): string {
    const { hasEarlier, hasLater } = this.#shown;
    const last = Math.min(this.#lines.length, this.#top + this.#height);
    return `${hasEarlier ? '…' : ''}${last}/${this.#lines.length}${hasLater ? '…' : ''}`;
  }

  #marked(line: Line): Line {
    return this.#query !== '' && this.#hasQuery(line) ? inked(line, 'inverse') : line;
  }

  #hasQuery(line: Line): boolean {
    return textOfLine(line).toLowerCase().includes(this.#query.toLowerCase());
  }

  #keepPlace(shown: ShownRows): void {
    const at = this.#rowAtTop();
    const offset = this.#top - this.#lines.findIndex(({ row }) => row === at);
    const id = this.#shown.rows[at]?.id;
    const row = shown === this.#shown ? at : shown.rows.findIndex(each => each.id === id);
    this.#shown = shown;
    this.#layOut();
    const first = this.#lines.findIndex(line => line.row >= Math.max(0, row));
    const count = this.#lines.findIndex(line => line.row > row) - first;
    this.#scrollTo(first + (count > 0 ? Math.min(offset, count - 1) : 0));
  }

  #layOut(): void {
    const { columns } = this.#size;
    let before: Row | undefined;
    this.#lines = this.#shown.rows.flatMap((row, at) => {
      const isApart =
        before !== undefined && row.isContinued !== true && (row.kind !== before.kind || row.kind === 'user');
      before = row;
      const lines = this.#unfolded.has(row.id) && row.whole !== undefined ? row.whole(columns) : row.lines(columns);
      const placed = lines.flatMap(line => wrapLine(line, columns)).map(line => ({ row: at, line }));
      return isApart ? [{ row: at, line: [] }, ...placed] : placed;
    });
  }

  #rowAtTop(): number {
    return this.#lines[this.#top]?.row ?? 0;
  }

  #scrollBy(lines: number): MissingRows | undefined {
    const { hasEarlier, hasLater } = this.#shown;
    if (lines < 0 && this.#top + lines < 0 && hasEarlier) return 'earlier';
    if (lines > 0 && this.#top + lines + this.#height > this.#lines.length && hasLater) return 'later';
    return this.#scrollTo(this.#top + lines);
  }

  #scrollTo(line: number): undefined {
    this.#top = Math.max(0, Math.min(line, this.#lines.length - this.#height));
  }

  #find(step: 1 | -1): MissingRows | undefined {
    if (this.#query === '') return undefined;
    const { hasEarlier, hasLater } = this.#shown;
    const count = this.#lines.length;
    for (let distance = 1; distance <= count; distance++) {
      const next = this.#top + step * distance;
      if ((next < 0 || next >= count) && (hasEarlier || hasLater)) break;
      const at = (next + count) % count;
      const found = this.#lines[at];
      if (found === undefined || !this.#hasQuery(found.line)) continue;
      return this.#scrollTo(at);
    }
    if (hasEarlier || hasLater) return step === 1 ? 'match-after' : 'match-before';
    this.#notice = `not found: ${this.#query}`;
    return undefined;
  }

  #jump(step: 1 | -1): MissingRows | undefined {
    const { rows, hasEarlier, hasLater } = this.#shown;
    const starts = this.#lines.flatMap(({ row }, at) =>
      rows[row]?.kind === 'user' && this.#lines[at - 1]?.row !== row ? [at] : [],
    );
    const target = step === 1 ? starts.find(at => at > this.#top) : starts.findLast(at => at < this.#top);
    if (target !== undefined) return this.#scrollTo(target);
    if (step === 1 ? hasLater : hasEarlier) return step === 1 ? 'later' : 'earlier';
    return undefined;
  }

  /** Unfolds the first row on the screen that hides something, or folds it again. */
  #fold(): undefined {
    const visible = this.#lines.slice(this.#top, this.#top + this.#height);
    const { rows } = this.#shown;
    const id = rows[visible.find(({ row }) => rows[row]?.whole !== undefined)?.row ?? -1]?.id;
    if (id === undefined) return;
    if (!this.#unfolded.delete(id)) this.#unfolded.add(id);
    this.#keepPlace(this.#shown);
  }
}

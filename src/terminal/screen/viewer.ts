import type { Row } from '../rows/row.ts';
import type { ActionName } from '../keys/actions.ts';
import type { ScreenSize } from './inline-renderer.ts';
import { ansiOfLine, inked, type Line, span, type Styling, textOfLine } from './styled-line.ts';
import { cutLine, wrapLine } from './text-width.ts';

interface PlacedLine {
  readonly row: number;
  readonly line: Line;
}

const escape = '\u001b[';

/** The transcript of a thread in the alternate screen: scrolls, unfolds rows, searches, jumps by message. */
export class Viewer {
  readonly #rows: readonly Row[];
  readonly #styling: Styling;
  #size: ScreenSize;
  #lines: readonly PlacedLine[] = [];
  #top = 0;
  readonly #unfolded = new Set<number>();
  #query = '';
  /** Whether the person writes what to search for. */
  isTyping = false;

  /** Shows the end first. */
  constructor(rows: readonly Row[], size: ScreenSize, styling: Styling) {
    [this.#rows, this.#size, this.#styling] = [rows, size, styling];
    this.#layOut();
    this.#scrollTo(this.#lines.length);
  }

  resize(size: ScreenSize): void {
    const row = this.#rowAtTop();
    this.#size = size;
    this.#layOut();
    this.#scrollTo(this.#lines.findIndex(line => line.row >= row));
  }

  /** The text of the row at the top, without styles. */
  get rowText(): readonly string[] {
    const row = this.#rows[this.#rowAtTop()];
    return (row?.whole?.(this.#size.columns) ?? row?.lines(this.#size.columns) ?? []).map(textOfLine);
  }

  /** The whole transcript, without styles and wraps. */
  get text(): string {
    return this.#rows.flatMap(row => (row.whole?.(200) ?? row.lines(200)).map(textOfLine)).join('\n');
  }

  /** Does what an action of the transcript means. */
  act(action: ActionName): void {
    const page = Math.max(1, this.#size.rows - 2);
    const moves: Partial<Record<ActionName, number>> = {
      'viewer.up': -1,
      'viewer.down': 1,
      'viewer.page-up': -page,
      'viewer.page-down': page,
    };
    const by = moves[action];
    if (by !== undefined) this.#scrollTo(this.#top + by);
    else if (action === 'viewer.top') this.#scrollTo(0);
    else if (action === 'viewer.bottom') this.#scrollTo(this.#lines.length);
    else if (action === 'viewer.search') [this.isTyping, this.#query] = [true, ''];
    else if (action === 'viewer.next') this.#find(1);
    else if (action === 'viewer.previous') this.#find(-1);
    else if (action === 'viewer.message-up') this.#jump(-1);
    else if (action === 'viewer.message-down') this.#jump(1);
    else if (action === 'viewer.fold') this.#fold();
  }

  /** Adds to what is searched for. */
  type(text: string): void {
    this.#query += text;
  }

  deleteLeft(): void {
    this.#query = this.#query.slice(0, -1);
  }

  /** Ends writing what to search for; searches unless it is cancelled. */
  endTyping(isCancelled: boolean): void {
    this.isTyping = false;
    if (!isCancelled) this.#find(1);
  }

  /** Returns the bytes that draw the window. */
  frame(): string {
    const { columns, rows } = this.#size;
    const height = Math.max(1, rows - 1);
    const shown = this.#lines.slice(this.#top, this.#top + height).map(({ line }) => this.#marked(line));
    const lines = [...shown, ...Array.from({ length: height - shown.length }, (): Line => [])];
    const last = Math.min(this.#lines.length, this.#top + height);
    const status = this.isTyping
      ? `/${this.#query}`
      : `${last}/${this.#lines.length} · q close · / search · n N next · { } message · Enter unfold · v editor · [ print`;
    const all = [...lines, cutLine([span(status, 'inverse')], columns)];
    return `${escape}?2026h${escape}?25l${escape}?7l${all.map((line, at) => `${escape}${at + 1};1H${ansiOfLine(line, this.#styling)}${escape}K`).join('')}${escape}?7h${escape}?2026l`;
  }

  #marked(line: Line): Line {
    return this.#query !== '' && this.#matches(line) ? inked(line, 'inverse') : line;
  }

  #matches(line: Line): boolean {
    return textOfLine(line).toLowerCase().includes(this.#query.toLowerCase());
  }

  #layOut(): void {
    const { columns } = this.#size;
    let before: Row | undefined;
    this.#lines = this.#rows.flatMap((row, at) => {
      const isApart =
        before !== undefined && row.isContinued !== true && (row.kind !== before.kind || row.kind === 'user');
      before = row;
      const lines = this.#unfolded.has(at) && row.whole !== undefined ? row.whole(columns) : row.lines(columns);
      const placed = lines.flatMap(line => wrapLine(line, columns)).map(line => ({ row: at, line }));
      return isApart ? [{ row: at, line: [] }, ...placed] : placed;
    });
  }

  #rowAtTop(): number {
    return this.#lines[this.#top]?.row ?? 0;
  }

  #scrollTo(line: number): void {
    this.#top = Math.max(0, Math.min(line, this.#lines.length - Math.max(1, this.#size.rows - 1)));
  }

  #find(step: 1 | -1): void {
    if (this.#query === '') return;
    const count = this.#lines.length;
    for (let distance = 1; distance <= count; distance++) {
      const at = (this.#top + step * distance + count) % count;
      const found = this.#lines[at];
      if (found === undefined || !this.#matches(found.line)) continue;
      return this.#scrollTo(at);
    }
  }

  #jump(step: 1 | -1): void {
    const starts = this.#lines.flatMap(({ row }, at) =>
      this.#rows[row]?.kind === 'user' && this.#lines[at - 1]?.row !== row ? [at] : [],
    );
    const target = step === 1 ? starts.find(at => at > this.#top) : starts.findLast(at => at < this.#top);
    if (target !== undefined) this.#scrollTo(target);
  }

  /** Unfolds the first row on the screen that hides something, or folds it again. */
  #fold(): void {
    const visible = this.#lines.slice(this.#top, this.#top + this.#size.rows - 1);
    const found = visible.find(({ row }) => this.#rows[row]?.whole !== undefined)?.row;
    if (found === undefined) return;
    if (!this.#unfolded.delete(found)) this.#unfolded.add(found);
    const top = this.#rowAtTop();
    this.#layOut();
    this.#scrollTo(this.#lines.findIndex(({ row }) => row === top));
  }
}

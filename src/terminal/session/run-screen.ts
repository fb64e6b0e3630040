import type { LoggedEvent } from '../../events/index.ts';
import { RowFeed } from '../rows/row-feed.ts';
import { mostLiveRows, type ScreenSize } from '../screen/inline-renderer.ts';
import type { Line } from '../screen/styled-line.ts';
import { LiveArea, type LiveAreaOptions, type LiveContent } from './live-area.ts';
import { RowPrinter } from '../rows/row.ts';
import { activityLine } from './status-line.ts';
import type { ThreadView } from './thread-view.ts';

export interface RunScreenOptions extends LiveAreaOptions {
  /** What was in the thread before the run: it is not shown again. */
  readonly view: ThreadView;
  /** Paths inside this folder are shown without it. */
  readonly cwd: string;
}

/** Shows a run at a terminal with the rows of the chat. */
export class RunScreen implements LiveContent {
  readonly #view: ThreadView;
  readonly #feed: RowFeed;
  readonly #printer = new RowPrinter();
  readonly #area: LiveArea;
  #hidesGroup = false;
  #printsOpen = false;

  constructor({ view, cwd, ...options }: RunScreenOptions) {
    this.#view = view;
    this.#feed = new RowFeed({ cwd, times: view.times });
    this.#feed.take(view.reading);
    this.#feed.endGroup();
    this.#area = new LiveArea(this, options);
  }

  take(event: LoggedEvent): void {
    this.#view.take(event);
    this.draw();
  }

  /** Prints what is finished in the view, and redraws what is open. */
  draw(): void {
    this.#area.draw();
  }

  /** Leaves the screen to a question, with everything that came before it above it. */
  pause(): void {
    this.#hidesGroup = true;
    this.#area.pause();
  }

  /** Draws again, and prints what was finished meanwhile. */
  resume(): void {
    this.#hidesGroup = false;
    this.#area.resume();
  }

  /** Prints what is left, when wanted also what is open, and draws nothing more. */
  close({ printsOpen = false } = {}): void {
    this.#hidesGroup = true;
    this.#printsOpen = printsOpen;
    this.#area.close();
  }

  takeFinished(width: number): readonly Line[] {
    this.#printer.add(this.#feed.take(this.#view.reading), width);
    // What is open is not drawn now, so that calls that wait for others like them would not be seen.
    if (this.#hidesGroup) this.#printer.add(this.#feed.endGroup(), width);
    if (this.#printsOpen) {
      const open = this.#feed.open(this.#view.reading, width, Date.now(), Number.MAX_SAFE_INTEGER);
      this.#printer.add([{ id: 'open', kind: 'notice', messageId: '', lines: () => open }], width);
    }
    const lines: Line[] = [];
    while (this.#printer.hasMore) lines.push(...this.#printer.next());
    return lines;
  }

  drawOpen(size: ScreenSize, now: number): readonly Line[] {
    const { reading, times } = this.#view;
    const doing = this.#feed.doing(reading, now);
    if (doing === undefined) return [];
    const activity = { ...doing, lastAt: times.lastAt, now, isStoppable: true, stopKey: 'Ctrl-C' };
    return [
      ...this.#feed.open(reading, size.columns, now, mostLiveRows(size) - 1),
      activityLine(activity, size.columns),
    ];
  }
}

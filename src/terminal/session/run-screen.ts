import { type Clock, systemClock } from '../../control/index.ts';
import type { LoggedEvent } from '../../events/index.ts';
import { RowFeed } from '../rows/row-feed.ts';
import { InlineRenderer, mostLiveRows } from '../screen/inline-renderer.ts';
import { ansiOfLine, type Line, type Styling } from '../screen/styled-line.ts';
import { RowPrinter } from './row-printer.ts';
import { activityLine } from './status-line.ts';
import { TerminalIo } from './terminal-io.ts';
import type { ThreadView } from './thread-view.ts';

export interface RunScreenOptions {
  /** What was in the thread before the run: it is not shown again. */
  readonly view: ThreadView;
  /** Paths inside this folder are shown without it. */
  readonly cwd: string;
  readonly styling: Styling;
  /** Whether what is open is drawn, and redrawn; else only finished rows are printed. */
  readonly isLive: boolean;
  readonly clock?: Clock;
}

/** How often the line of what the agent does is drawn again, in milliseconds. */
const frameMs = 200;

/** Shows a run at a terminal with the rows of the chat: finished rows are printed, what is open is redrawn below them. */
export class RunScreen {
  readonly #io = new TerminalIo();
  readonly #options: RunScreenOptions;
  readonly #clock: Clock;
  readonly #feed: RowFeed;
  readonly #printer = new RowPrinter();
  readonly #renderer: InlineRenderer;
  #stopTimer: () => void = () => {};
  #isPaused = false;

  constructor(options: RunScreenOptions) {
    const { view, cwd, styling, isLive, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#feed = new RowFeed({ cwd, times: view.times });
    this.#feed.take(view.reading);
    this.#renderer = new InlineRenderer(this.#io.size, styling);
    if (isLive) this.#tick();
  }

  take(event: LoggedEvent): void {
    this.#options.view.take(event);
    if (!this.#isPaused) this.#draw();
  }

  /** Leaves the screen to a question: what is finished is printed, what is open disappears until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#clear();
  }

  /** Draws again, and prints what was finished meanwhile. */
  resume(): void {
    this.#isPaused = false;
    this.#draw();
  }

  /** Prints what is left, and draws nothing more. */
  close(): void {
    this.#stopTimer();
    this.#isPaused = true;
    this.#clear();
  }

  #tick(): void {
    this.#stopTimer = this.#clock.after(frameMs, () => {
      if (!this.#isPaused) this.#draw();
      this.#tick();
    });
  }

  #clear(): void {
    const { view, isLive } = this.#options;
    const rows = [...this.#feed.take(view.reading), ...this.#feed.endGroup()];
    this.#printer.add(rows, this.#io.size.columns);
    while (this.#printer.hasMore) this.#print([]);
    if (isLive) this.#io.write(this.#renderer.remove());
  }

  #draw(): void {
    if (!this.#io.isBlocked) this.#print(this.#options.isLive ? this.#open() : []);
  }

  #print(live: readonly Line[]): void {
    const { size } = this.#io;
    this.#renderer.resize(size);
    this.#printer.add(this.#feed.take(this.#options.view.reading), size.columns);
    if (!this.#options.isLive) {
      this.#io.write(
        this.#printer
          .next()
          .map(line => `${ansiOfLine(line, this.#options.styling)}\n`)
          .join(''),
      );
      return;
    }
    // The cursor is never hidden, so that a process that is killed leaves it as it was.
    const cursor = { line: Math.max(0, live.length - 1), column: 0 };
    this.#io.write(this.#renderer.frame({ printed: this.#printer.next(), live, cursor }));
  }

  #open(): Line[] {
    const { reading, times } = this.#options.view;
    const { size } = this.#io;
    const now = this.#clock.now();
    const doing = this.#feed.doing(reading, now);
    if (doing === undefined) return [];
    const activity = { ...doing, lastAt: times.lastAt, now, isStoppable: true, stopKey: 'Ctrl-C' };
    return [
      ...this.#feed.open(reading, size.columns, now, mostLiveRows(size) - 1),
      activityLine(activity, size.columns),
    ];
  }
}

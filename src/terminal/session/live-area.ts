import { type Clock, systemClock } from '../../control/index.ts';
import { InlineRenderer, type ScreenSize } from '../screen/inline-renderer.ts';
import { ansiOfLine, type Line, type Styling } from '../screen/styled-line.ts';
import { TerminalIo } from './terminal-io.ts';

/** What a live area shows. */
export interface LiveContent {
  /** Takes the lines that are finished since the last call: they are printed once and for all. */
  takeFinished(width: number): readonly Line[];
  /** Draws what is open; each line is one row. */
  drawOpen(size: ScreenSize, now: number): readonly Line[];
}

export interface LiveAreaOptions {
  readonly styling: Styling;
  /** Whether what is open is drawn, and redrawn; else only finished lines are printed. */
  readonly isLive: boolean;
  readonly clock?: Clock;
}

/** How often what is open is drawn again, in milliseconds. */
const frameMs = 200;

/** The end of the output of a command at a terminal: finished lines are printed, what is open is redrawn below them. */
export class LiveArea {
  readonly #io = new TerminalIo();
  readonly #content: LiveContent;
  readonly #options: LiveAreaOptions;
  readonly #clock: Clock;
  readonly #renderer: InlineRenderer;
  #stopTimer: () => void = () => {};
  #isPaused = false;

  constructor(content: LiveContent, options: LiveAreaOptions) {
    this.#content = content;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#renderer = new InlineRenderer(this.#io.size, options.styling);
    if (options.isLive) this.#tick();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  draw(): void {
    if (this.#isPaused || this.#io.isBlocked) return;
    const { size } = this.#io;
    this.#print(this.#options.isLive ? this.#content.drawOpen(size, this.#clock.now()) : []);
  }

  /** Prints what is finished, removes what is open, and leaves the screen to others until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#print([]);
    if (this.#options.isLive) this.#io.write(this.#renderer.remove());
  }

  /** Draws again, and prints what was finished meanwhile. */
  resume(): void {
    this.#isPaused = false;
    this.draw();
  }

  /** Prints what is finished, and draws nothing more. */
  close(): void {
    this.#stopTimer();
    this.#isPaused = false;
    this.pause();
  }

  #tick(): void {
    this.#stopTimer = this.#clock.after(frameMs, () => {
      this.draw();
      this.#tick();
    });
  }

  #print(live: readonly Line[]): void {
    const { size } = this.#io;
    const { styling, isLive } = this.#options;
    const printed = this.#content.takeFinished(size.columns);
    if (!isLive) return this.#io.write(printed.map(line => `${ansiOfLine(line, styling)}\n`).join(''));
    this.#renderer.resize(size);
    // The cursor is never hidden, so that a process that is killed leaves it as it was.
    const cursor = { line: Math.max(0, live.length - 1), column: 0 };
    this.#io.write(this.#renderer.frame({ printed, live, cursor }));
  }
}

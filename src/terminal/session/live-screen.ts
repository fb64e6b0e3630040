import type { Clock } from '../../agents/clock.ts';
import { type Row, RowPrinter } from '../rows/row.ts';
import { FullscreenRenderer } from '../screen/fullscreen-renderer.ts';
import { type Frame, InlineRenderer } from '../screen/inline-renderer.ts';
import { ansiOfLine, type Line, type Styling } from '../screen/styled-line.ts';
import { printedLines } from '../screen/wrap-line.ts';
import type { TerminalIo } from './terminal-io.ts';

/** The shortest time between two frames, in milliseconds: while text streams, and after a key. */
const framePause = 33;
const keyPause = 8;
/** How many printed lines full-screen mode shows at the start. */
const mostRecent = 200;

export interface LiveScreenOptions {
  readonly io: TerminalIo;
  readonly clock: Clock;
  readonly styling: Styling;
  /** Returns the rows that are finished since the last frame. */
  readonly takeRows: () => readonly Row[];
  /** Lays the live area out. */
  readonly live: () => Omit<Frame, 'printed'>;
  /** Whether there is a live area; else only finished rows are printed. Default: true. */
  readonly isLive?: boolean;
  /** How often it is drawn again by itself, in milliseconds. Default: only when that is asked for. */
  readonly tickMs?: number;
}

/** The screen of the chat and of commands at a terminal. Draws frames: not more often than a person sees, and not before the terminal has taken the last one. */
export class LiveScreen {
  readonly io: TerminalIo;
  readonly #options: LiveScreenOptions;
  readonly #inline: InlineRenderer;
  #full: FullscreenRenderer | undefined;
  /** Lines that were printed in full-screen mode; they are written to the scrollback when it ends. */
  #unprinted: Line[] = [];
  /** The lines that were printed last, as the initial content of full-screen mode. */
  #recent: readonly Line[] = [];
  readonly #printer = new RowPrinter();
  #stopTimer: (() => void) | undefined;
  #stopTick: (() => void) | undefined;
  #due = Number.POSITIVE_INFINITY;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isPaused = false;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
    this.io = options.io;
    this.#inline = new InlineRenderer(options.io.size, options.styling);
  }

  get #renderer(): InlineRenderer | FullscreenRenderer {
    return this.#full ?? this.#inline;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isFullscreen(): boolean {
    return this.#full !== undefined;
  }

  /** Switches to full-screen mode, or back to the scrollback; no printed line is lost. */
  fullscreen(isOn: boolean): void {
    const { io, styling } = this.#options;
    if (isOn === this.isFullscreen) return;
    if (isOn) {
      io.write(this.#inline.remove());
      this.#full = new FullscreenRenderer(io.size, styling, this.#recent);
    } else this.#full = undefined;
    io.alternate(isOn);
    if (!isOn && this.#unprinted.length > 0) io.write(this.#inline.frame({ printed: this.#unprinted, live: [] }));
    if (!isOn) this.#unprinted = [];
    this.draw();
  }

  /** Draws soon: at once after a key, when that is not too often. */
  request(isKey = false): void {
    const { clock } = this.#options;
    const due = Math.max(clock.now(), this.#drawnAt + (isKey ? keyPause : framePause));
    if (this.#isPaused || due >= this.#due) return;
    this.#stopTimer?.();
    this.#due = due;
    this.#stopTimer = clock.after(due - clock.now(), () => this.draw());
  }

  /** Draws now. */
  draw(): void {
    this.#stopTimers();
    const { io, clock, live, tickMs, isLive = true } = this.#options;
    if (this.#isPaused) return;
    if (tickMs !== undefined && isLive) this.#stopTick = clock.after(tickMs, () => this.draw());
    if (io.isBlocked) return;
    this.#frame(live);
    this.#drawnAt = clock.now();
    if (this.#printer.hasMore) this.request();
  }

  /** Prints what is finished, with a live area below it that is laid out without what was printed. */
  #frame(live: LiveScreenOptions['live']): void {
    const { io, styling, takeRows, isLive = true } = this.#options;
    this.#renderer.resize(io.size);
    this.#printer.add(takeRows(), io.size.columns);
    if (!isLive) {
      const lines = this.#printer.takeAll().flatMap(line => printedLines(line, io.size.columns));
      return io.write(lines.map(line => `${ansiOfLine(line, styling)}\n`).join(''));
    }
    const printed = this.#printer.next();
    this.#recent = [...this.#recent, ...printed].slice(-mostRecent);
    if (this.isFullscreen) this.#unprinted.push(...printed);
    io.write(this.#renderer.frame({ printed, ...live() }), () => this.request());
  }

  #stopTimers(): void {
    this.#stopTimer?.();
    this.#stopTick?.();
    this.#stopTimer = this.#stopTick = undefined;
    this.#due = Number.POSITIVE_INFINITY;
  }

  /** Prints rows that are not in the log, above the live area. */
  print(...rows: readonly Row[]): void {
    this.#printer.add(rows, this.#options.io.size.columns);
    this.request();
  }

  /** Prints what is finished and removes the live area, so that something else can use the screen until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#stopTimers();
    do this.#frame(() => ({ live: [] }));
    while (this.#printer.hasMore);
    if (this.#options.isLive !== false) this.io.write(this.#renderer.remove());
    this.#isPaused = true;
  }

  /** Draws again. */
  resume(): void {
    this.#isPaused = false;
    this.draw();
  }

  /** Leaves the terminal in the state in which it was found, without a live area. */
  leave(): void {
    this.pause();
    this.io.leave();
  }

  /** Takes the terminal again; what it shows is drawn by who asks for it. */
  enter(): void {
    this.io.enter();
    this.io.alternate(this.isFullscreen);
  }

  /** Lets something else use the terminal until it is done. */
  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.leave();
    try {
      return await use();
    } finally {
      this.enter();
      this.resume();
    }
  }

  /** Prints everything that is finished, and draws nothing more. */
  finish(): void {
    this.#isPaused = false;
    this.fullscreen(false);
    this.pause();
  }
}

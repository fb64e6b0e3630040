import type { Clock } from '../../agents/clock.ts';
import { type Row, RowPrinter } from '../rows/row.ts';
import { FullscreenRenderer } from '../screen/fullscreen-renderer.ts';
import { type Frame, InlineRenderer } from '../screen/inline-renderer.ts';
import type { Line, Styling } from '../screen/styled-line.ts';
import type { TerminalIo } from './terminal-io.ts';

/** The shortest time between two frames, in milliseconds: while text streams, and after a key. */
const framePause = 33;
const keyPause = 8;
/** How many printed lines the whole window shows when it is entered. */
const mostRecent = 200;

export interface ChatScreenOptions {
  readonly io: TerminalIo;
  readonly clock: Clock;
  readonly styling: Styling;
  /** Returns the rows that are finished since the last frame. */
  readonly takeRows: () => readonly Row[];
  /** Lays the live area out. */
  readonly live: () => Omit<Frame, 'printed'>;
}

/** Draws frames: not more often than a person sees, and not before the terminal has taken the last one. */
export class ChatScreen {
  readonly io: TerminalIo;
  readonly #options: ChatScreenOptions;
  readonly #inline: InlineRenderer;
  #full: FullscreenRenderer | undefined;
  /** What was printed while the whole window was used: the scrollback gets it afterwards. */
  #unprinted: Line[] = [];
  /** What was printed last, for the whole window. */
  #recent: readonly Line[] = [];
  readonly #printer = new RowPrinter();
  #stopTimer: (() => void) | undefined;
  #due = Number.POSITIVE_INFINITY;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isPaused = false;

  constructor(options: ChatScreenOptions) {
    this.#options = options;
    this.io = options.io;
    this.#inline = new InlineRenderer(options.io.size, options.styling);
  }

  get #renderer(): InlineRenderer | FullscreenRenderer {
    return this.#full ?? this.#inline;
  }

  get isFullscreen(): boolean {
    return this.#full !== undefined;
  }

  /** Uses the whole window, or the scrollback again; nothing is lost on the way. */
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
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#due = Number.POSITIVE_INFINITY;
    const { io, clock, takeRows, live } = this.#options;
    if (this.#isPaused || io.isBlocked) return;
    this.#renderer.resize(io.size);
    this.#printer.add(takeRows(), io.size.columns);
    const printed = this.#printer.next();
    this.#recent = [...this.#recent, ...printed].slice(-mostRecent);
    if (this.isFullscreen) this.#unprinted.push(...printed);
    io.write(this.#renderer.frame({ printed, ...live() }), () => this.request());
    this.#drawnAt = clock.now();
    if (this.#printer.hasMore) this.request();
  }

  /** Prints rows that are not in the log, above the live area. */
  print(...rows: readonly Row[]): void {
    this.#printer.add(rows, this.#options.io.size.columns);
    this.request();
  }

  /** Removes the live area, so that something else can use the screen. */
  pause(): void {
    if (this.#isPaused) return;
    this.#stopTimer?.();
    this.#due = Number.POSITIVE_INFINITY;
    this.#isPaused = true;
    this.#options.io.write(this.#renderer.remove());
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

  /** Prints everything that is finished, without a live area. */
  finish(): void {
    const { io, takeRows } = this.#options;
    this.fullscreen(false);
    this.#stopTimer?.();
    this.#printer.add(takeRows(), io.size.columns);
    while (this.#printer.hasMore) io.write(this.#renderer.frame({ printed: this.#printer.next(), live: [] }));
    io.write(this.#renderer.remove());
    this.#isPaused = true;
  }
}

import { type Clock, systemClock } from '../../agents/clock.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readWindow } from '../../log/window.ts';
import {
  readingFrom,
  type ThreadReading,
  threadReading,
  type ThreadReadingState,
} from '../../projections/reading/thread-reading.ts';
import type { WindowOfThread, WindowPart } from '../../projections/reading/ranges/thread-window.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { RowFeed } from '../rows/row-feed.ts';
import { RowPrinter } from '../rows/row.ts';
import { EventTimes } from '../rows/times.ts';
import { InlineRenderer, mostLiveRows, type ScreenSize } from '../screen/inline-renderer.ts';
import { ansiOfLine, type Line, type Styling, textOfLine } from '../screen/styled-line.ts';
import { activityLine } from './status-line.ts';
import { TerminalIo } from './terminal-io.ts';

interface LiveAreaOptions {
  readonly styling: Styling;
  /** Whether what is open is drawn, and redrawn; else only finished lines are printed. */
  readonly isLive: boolean;
  readonly clock?: Clock;
}

/** How often what is open is drawn again, in milliseconds. */
const frameMs = 200;

/** The end of the output of a command at a terminal: finished lines are printed, what is open is redrawn below them. */
export abstract class LiveArea {
  readonly #io = new TerminalIo();
  readonly #options: LiveAreaOptions;
  readonly #clock: Clock;
  readonly #renderer: InlineRenderer;
  #stopTimer: () => void = () => {};
  #isPaused = false;

  constructor(options: LiveAreaOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#renderer = new InlineRenderer(this.#io.size, options.styling);
    if (options.isLive) this.#tick();
  }

  /** Takes the lines that are finished since the last call: they are printed once and for all. */
  protected abstract takeFinished(width: number): readonly Line[];

  /** Draws what is open; each line is one row. */
  protected abstract drawOpen(size: ScreenSize, now: number): readonly Line[];

  get isPaused(): boolean {
    return this.#isPaused;
  }

  draw(): void {
    if (this.#isPaused || this.#io.isBlocked) return;
    const { size } = this.#io;
    this.#print(this.#options.isLive ? this.drawOpen(size, this.#clock.now()) : []);
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
    const printed = this.takeFinished(size.columns);
    if (!isLive) return this.#io.write(printed.map(line => `${ansiOfLine(line, styling)}\n`).join(''));
    this.#renderer.resize(size);
    // The cursor is never hidden, so that a process that is killed leaves it as it was.
    const cursor = { line: Math.max(0, live.length - 1), column: 0 };
    this.#io.write(this.#renderer.frame({ printed, live, cursor }));
  }
}

interface RunScreenOptions extends LiveAreaOptions {
  /** What was in the thread before the run: it is not shown again. */
  readonly view: ThreadView;
  /** Paths inside this folder are shown without it. */
  readonly cwd: string;
}

/** Shows a run at a terminal with the rows of the chat. */
export class RunScreen extends LiveArea {
  readonly #view: ThreadView;
  readonly #feed: RowFeed;
  readonly #printer = new RowPrinter();
  #hidesGroup = false;
  #printsOpen = false;

  constructor({ view, cwd, ...options }: RunScreenOptions) {
    super(options);
    this.#view = view;
    this.#feed = new RowFeed({ cwd, times: view.times });
    this.#feed.take(view.reading);
    this.#feed.endGroup();
  }

  take(event: LoggedEvent): void {
    this.#view.take(event);
    this.draw();
  }

  /** Leaves the screen to a question, with everything that came before it above it. */
  override pause(): void {
    this.#hidesGroup = true;
    super.pause();
  }

  override resume(): void {
    this.#hidesGroup = false;
    super.resume();
  }

  /** Prints what is left, when wanted also what is open, and draws nothing more. */
  override close({ printsOpen = false } = {}): void {
    this.#hidesGroup = true;
    this.#printsOpen = printsOpen;
    super.close();
  }

  protected override takeFinished(width: number): readonly Line[] {
    this.#printer.add(this.#feed.take(this.#view.reading), width);
    // What is open is not drawn now, so that calls that wait for others like them would not be seen.
    if (this.#hidesGroup) this.#printer.add(this.#feed.endGroup(), width);
    if (this.#printsOpen) {
      const open = this.#feed.open(this.#view.reading, width, Date.now(), Number.MAX_SAFE_INTEGER);
      this.#printer.add([{ id: 'open', kind: 'notice', messageId: '', lines: () => open }], width);
    }
    return this.#printer.takeAll();
  }

  protected override drawOpen(size: ScreenSize, now: number): readonly Line[] {
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

/** How wide the rows are that are printed as text: only tables and changes depend on it. */
const plainWidth = 100;

/** Shows a thread as plain text with the rows of the chat, where nothing can be redrawn; what waits for an answer is named when it is asked. */
export class PlainRows {
  readonly #view: ThreadView;
  readonly #cwd: string;
  readonly #feed: RowFeed;
  readonly #printer = new RowPrinter();
  readonly #asked = new Set<string>();

  /** What was in the view before is not shown again. */
  constructor({ view, cwd }: Pick<RunScreenOptions, 'view' | 'cwd'>) {
    this.#view = view;
    this.#cwd = cwd;
    this.#feed = new RowFeed({ cwd, times: view.times });
    this.#feed.take(view.reading);
    this.#feed.endGroup();
  }

  /** Returns the text of what was finished since the last call, and of what is asked now. */
  take(): string {
    this.#printer.add(this.#feed.take(this.#view.reading), plainWidth);
    const asked = this.#view.reading.pending.filter(({ id }) => !this.#asked.has(id));
    if (asked.length > 0) this.#printer.add(this.#feed.endGroup(), plainWidth);
    for (const { id } of asked) this.#asked.add(id);
    const lines = [
      ...this.#printer.takeAll().map(textOfLine),
      ...asked.map(({ relay }) => `? ${presentRelay(relay, { cwd: this.#cwd }).summary}`),
    ];
    return lines.map(line => `${line}\n`).join('');
  }

  /** Returns the text of the rest, also of what is not finished. */
  end(): string {
    const text = this.take();
    this.#printer.add(this.#feed.endGroup(), plainWidth);
    const { reading } = this.#view;
    const open = this.#feed.open(reading, plainWidth, Date.now(), Number.MAX_SAFE_INTEGER);
    const lines = [...this.#printer.takeAll(), ...open];
    return text + lines.map(line => `${textOfLine(line)}\n`).join('');
  }
}

/** How many events of an opened thread are read; earlier messages are read by the transcript. */
const windowEvents = 1_000;

/** The reading view of the end of a thread and the times of its events, continued with each event that follows. */
export class ThreadView {
  readonly times = new EventTimes();
  #state: ThreadReadingState;
  #view: ThreadReading | undefined;

  private constructor(state: ThreadReadingState) {
    this.#state = state;
  }

  /** Reads the end of a thread of a log, up to the event of `seq`. */
  static open(log: EventLog, threadId: string, seq: number): Promise<ThreadView> {
    return ThreadView.read(part => readWindow(log, threadId, part), seq);
  }

  /** Reads the end of a thread, wherever it is, up to the event of `seq`. */
  static async read(read: (part: WindowPart) => Promise<WindowOfThread>, seq: number): Promise<ThreadView> {
    const { snapshot, events } = await read({ limit: windowEvents, before: seq + 1 });
    const view = new ThreadView(snapshot === undefined ? threadReading.initial : readingFrom(snapshot));
    for (const event of events) view.take(event);
    return view;
  }

  get reading(): ThreadReading {
    return (this.#view ??= threadReading.view(this.#state));
  }

  take(event: LoggedEvent): void {
    this.#state = threadReading.step(this.#state, event);
    this.times.take(event);
    this.#view = undefined;
  }
}

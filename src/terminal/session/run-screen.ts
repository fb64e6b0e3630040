import { systemClock } from '../../agents/clock.ts';
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
import { type Row, RowPrinter } from '../rows/row.ts';
import { EventTimes } from '../rows/times.ts';
import { mostLiveRows, type ScreenSize } from '../screen/inline-renderer.ts';
import { type Line, type Styling, textOfLine } from '../screen/styled-line.ts';
import { LiveScreen } from './live-screen.ts';
import { activityLine } from './status-line.ts';
import { TerminalIo } from './terminal-io.ts';

interface RunScreenOptions {
  readonly styling: Styling;
  /** Whether open parts are drawn and redrawn; otherwise only finished rows are printed. */
  readonly isLive: boolean;
  /** The thread as it was before the run; its earlier rows are not printed again. */
  readonly view: ThreadView;
  /** Paths inside this folder are shown without it. */
  readonly cwd: string;
}

/** How often what is open is drawn again, in milliseconds. */
const frameMs = 200;

/** Opens the screen of a command: finished rows are printed, what is open is redrawn below them. */
export function openCommandScreen(
  { styling, isLive }: Pick<RunScreenOptions, 'styling' | 'isLive'>,
  { takeRows, drawOpen }: { takeRows: () => readonly Row[]; drawOpen: (size: ScreenSize) => readonly Line[] },
): LiveScreen {
  const io = new TerminalIo();
  const live = () => {
    const lines = drawOpen(io.size);
    // The cursor is never hidden, so that a process that is killed leaves it as it was.
    return { live: lines, cursor: { line: Math.max(0, lines.length - 1), column: 0 } };
  };
  return new LiveScreen({ io, clock: systemClock, styling, isLive, tickMs: frameMs, takeRows, live });
}

/** Shows a run at a terminal with the rows of the chat. */
export class RunScreen {
  readonly #view: ThreadView;
  readonly #feed: RowFeed;
  readonly #screen: LiveScreen;

  constructor({ view, cwd, ...options }: RunScreenOptions) {
    this.#view = view;
    this.#feed = openFeed(view, cwd);
    this.#screen = openCommandScreen(options, {
      takeRows: () => this.#feed.take(view.reading),
      drawOpen: size => this.#drawOpen(size),
    });
    this.#screen.draw();
  }

  draw(): void {
    this.#screen.draw();
  }

  /** Prints all rows so far and stops drawing, so that a question can use the screen. */
  pause(): void {
    // What is open is not drawn now, so that calls that wait for others like them would not be seen.
    this.#screen.print(...this.#feed.take(this.#view.reading), ...this.#feed.endGroup());
    this.#screen.pause();
  }

  resume(): void {
    this.#screen.resume();
  }

  /** Prints the remaining rows, with `printsOpen` also the unfinished parts, and stops drawing. */
  close({ printsOpen = false } = {}): void {
    this.#screen.print(...this.#feed.take(this.#view.reading), ...this.#feed.endGroup());
    if (printsOpen) this.#screen.print(openRow(this.#feed, this.#view));
    this.#screen.finish();
  }

  #drawOpen(size: ScreenSize): readonly Line[] {
    const { reading, times } = this.#view;
    const now = Date.now();
    const doing = this.#feed.doing(reading, now);
    if (doing === undefined) return [];
    const activity = { ...doing, lastAt: times.lastAt, now, isStoppable: true, stopKey: 'Ctrl-C' };
    return [
      ...this.#feed.open(reading, size.columns, now, mostLiveRows(size) - 1),
      activityLine(activity, size.columns),
    ];
  }
}

/** Returns a feed for the rows that follow those in a view. */
function openFeed({ reading, times }: ThreadView, cwd: string): RowFeed {
  const feed = new RowFeed({ cwd, times });
  feed.take(reading);
  feed.endGroup();
  return feed;
}

/** Returns the unfinished parts as one row. */
function openRow(feed: RowFeed, { reading }: ThreadView): Row {
  const lines = (width: number) => feed.open(reading, width, Date.now(), Number.MAX_SAFE_INTEGER);
  return { id: 'open', kind: 'notice', messageId: '', lines };
}

/** How wide the rows are that are printed as text: only tables and changes depend on it. */
const plainWidth = 100;

/**
 * Renders a thread as plain text with the rows of the chat, for output that cannot be redrawn. Names each relay when it
 * is asked.
 */
export class PlainRows {
  readonly #view: ThreadView;
  readonly #cwd: string;
  readonly #feed: RowFeed;
  readonly #printer = new RowPrinter();
  readonly #asked = new Set<string>();

  /** Rows that are already in the view are not printed again. */
  constructor({ view, cwd }: Pick<RunScreenOptions, 'view' | 'cwd'>) {
    this.#view = view;
    this.#cwd = cwd;
    this.#feed = openFeed(view, cwd);
  }

  /** Returns the text of the rows that were finished since the last call, and of the relays asked since then. */
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

  /** Returns the text of the remaining rows, including unfinished parts. */
  end(): string {
    const text = this.take();
    this.#printer.add([...this.#feed.endGroup(), openRow(this.#feed, this.#view)], plainWidth);
    return (
      text +
      this.#printer
        .takeAll()
        .map(line => `${textOfLine(line)}\n`)
        .join('')
    );
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

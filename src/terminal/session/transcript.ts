import { SerialQueue } from '../../base/serial-queue.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { readWindow } from '../../log/window.ts';
import { type ThreadReading, threadReading } from '../../projections/reading/thread-reading.ts';
import { LoadedRange } from '../../projections/reading/ranges/loaded-range.ts';
import { ThreadRanges } from '../../projections/reading/ranges/thread-ranges.ts';
import type { ActionName } from '../keys/actions.ts';
import type { Key } from '../keys/key.ts';
import { RowFeed } from '../rows/row-feed.ts';
import { linesRow, type Row } from '../rows/row.ts';
import { EventTimes } from '../rows/times.ts';
import { span, textOfLine } from '../screen/styled-line.ts';
import { type ShownRows, Viewer } from './viewer.ts';
import type { ChatOptions } from './chat-options.ts';
import type { LiveScreen } from './live-screen.ts';
import type { OpenThread } from './open-thread.ts';

/** How long after new events the transcript is drawn with them, in milliseconds. */
const followMs = 250;

interface TranscriptOptions extends Pick<ChatOptions, 'log' | 'cwd' | 'clock' | 'styling'> {
  readonly screen: LiveScreen;
}

interface Open {
  readonly rows: TranscriptRows;
  readonly viewer: Viewer;
  readonly unwatch: () => void;
}

/** The open transcript; the chat continues behind it. */
export class Transcript {
  readonly #options: TranscriptOptions;
  #open: Open | undefined;
  /** Keys are taken one after another: some of them read rows first. */
  readonly #acting = new SerialQueue();
  #isOpening = false;
  #stopFollowing: (() => void) | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  /** Whether it is shown, or about to be: keys are for it then. */
  get isOpen(): boolean {
    return this.#open !== undefined || this.#isOpening;
  }

  /** Whether keys are what is searched for. */
  get isTyping(): boolean {
    return this.#open?.viewer.isTyping === true;
  }

  /** Reads the end of a thread and shows it; what is before it is read when the person goes there. */
  async open(follower: OpenThread): Promise<void> {
    if (this.isOpen) return;
    this.#isOpening = true;
    await this.#acting.run(() => this.#show(follower)).finally(() => (this.#isOpening = false));
  }

  async #show(follower: OpenThread): Promise<void> {
    const { screen, styling, log, cwd } = this.#options;
    const missed: LoggedEvent[] = [];
    let take = (event: LoggedEvent): void => void missed.push(event);
    const unwatch = follower.watch(event => take(event));
    const rows = await TranscriptRows.open({ log, threadId: follower.threadId, cwd });
    take = event => this.#follow(rows, event);
    for (const event of missed) rows.ranges.take(event);
    screen.pause();
    screen.io.alternate(true);
    this.#open = { rows, viewer: new Viewer(rows.shown, screen.io.size, styling), unwatch };
    this.#draw();
  }

  close(): void {
    if (this.#open === undefined) return;
    this.#open.unwatch();
    this.#open.rows.close();
    this.#stopFollowing?.();
    this.#open = this.#stopFollowing = undefined;
    const { screen } = this.#options;
    screen.io.alternate(screen.isFullscreen);
    screen.resume();
  }

  /** Draws the transcript for the size of the window, also after the program was suspended. */
  resize(): void {
    if (this.#open === undefined) return;
    const { io } = this.#options.screen;
    io.alternate(true);
    this.#open.viewer.resize(io.size);
    this.#draw();
  }

  #draw(): void {
    if (this.#open !== undefined) this.#options.screen.io.write(this.#open.viewer.frame());
  }

  /** Takes a key while the person writes what to search for; returns whether the first match is to be shown. */
  type(key: Key): boolean {
    const viewer = this.#open?.viewer;
    if (viewer === undefined) return false;
    if (key.name === 'enter' || key.name === 'escape' || (key.ctrl && key.name === 'c')) viewer.isTyping = false;
    else if (key.name === 'backspace') viewer.deleteLeft();
    else if (key.text !== undefined) viewer.type(key.text);
    this.#draw();
    return key.name === 'enter';
  }

  /** Carries an action out; returns the text of the transcript when the person wants to edit it, and it is closed then. */
  async act(action: ActionName): Promise<string | undefined> {
    if (this.#open !== undefined && (action === 'viewer.close' || action === 'viewer.search')) {
      if (action === 'viewer.close') this.close();
      else this.#open.viewer.act(action);
      this.#draw();
      return undefined;
    }
    return this.#acting.run(async () => {
      const open = this.#open;
      if (open === undefined) return undefined;
      if (action === 'viewer.editor') return this.#edit(open);
      if (action === 'viewer.close') this.close();
      else if (action === 'viewer.print') this.#print(open);
      else await this.#move(open, action);
      this.#draw();
      return undefined;
    });
  }

  async #edit({ rows }: Open): Promise<string> {
    const all = await rows.all();
    this.close();
    return all.flatMap(row => (row.whole?.(200) ?? row.lines(200)).map(textOfLine)).join('\n');
  }

  #print({ viewer }: Open): void {
    const lines = viewer.rowText.map(text => [span(text)]);
    this.close();
    this.#options.screen.print(linesRow(lines));
  }

  /** Does what an action means, after the rows that it needs are read. */
  async #move({ rows, viewer }: Open, action: ActionName): Promise<void> {
    for (let missing = viewer.act(action); missing !== undefined; missing = viewer.act(action)) {
      if (missing === 'match-after' || missing === 'match-before') {
        const step = missing === 'match-after' ? 1 : -1;
        viewer.notify('searching');
        this.#draw();
        const isFound = await rows.goToMatch(viewer.matches, step);
        viewer.show(rows.shown);
        if (isFound) viewer.goToMatch(step);
        viewer.notify(isFound ? '' : 'not found');
        return;
      }
      const before = rows.rows;
      if (missing === 'earlier') await rows.ranges.loadEarlier();
      else if (missing === 'later') await rows.ranges.loadLater();
      else if (missing === 'start') await rows.ranges.goTo(1);
      else rows.ranges.goToEnd();
      viewer.show(rows.shown);
      if (before === rows.rows) return;
    }
  }

  /** Shows new events after a short delay, so that events in quick succession are drawn once. */
  #follow(rows: TranscriptRows, event: LoggedEvent): void {
    rows.ranges.take(event);
    this.#stopFollowing ??= this.#options.clock.after(followMs, () => {
      this.#stopFollowing = undefined;
      this.#open?.viewer.show(rows.shown);
      this.#draw();
    });
  }
}

interface TranscriptRowsOptions {
  readonly log: EventLog;
  readonly threadId: string;
  /** The user's folder; paths inside it are shown relative to it. */
  readonly cwd: string;
}

/** About how many events are read at once, to be shown and to be searched. */
const windowEvents = 500;
const searchedEvents = 300;

/** The rows of the part of a thread that a person looks at. Other parts are read on demand; how many are kept is bounded. */
class TranscriptRows {
  readonly #options: TranscriptRowsOptions;
  readonly #stop = new AbortController();
  /** The loaded ranges of the thread. */
  readonly ranges: ThreadRanges;
  #rows: readonly Row[] | undefined;

  private constructor(options: TranscriptRowsOptions) {
    this.#options = options;
    const { log, threadId } = options;
    this.ranges = new ThreadRanges({
      read: part => readWindow(log, threadId, part),
      limit: windowEvents,
      signal: this.#stop.signal,
      changed: () => (this.#rows = undefined),
    });
  }

  /** Reads the end of a thread. */
  static async open(options: TranscriptRowsOptions): Promise<TranscriptRows> {
    const rows = new TranscriptRows(options);
    rows.ranges.begin(await readWindow(options.log, options.threadId, { limit: windowEvents }));
    return rows;
  }

  /** The rows of the loaded events, in order. */
  get rows(): readonly Row[] {
    if (this.#rows === undefined) {
      this.ranges.drop();
      const view = this.ranges.view();
      const events: LoggedEvent[] = [];
      for (let seq = view.firstSeq; seq <= view.lastSeq; seq++) {
        const event = this.ranges.eventAt(seq);
        if (event !== undefined) events.push(event);
      }
      this.#rows = this.#renderRows(view, events);
    }
    return this.#rows;
  }

  /** The rows of what is loaded, and whether the thread has others. */
  get shown(): ShownRows {
    const { rows } = this;
    const { hasEarlier, hasLater } = this.ranges.view();
    return { rows, hasEarlier, hasLater };
  }

  /**
   * Loads the nearest window outside the loaded range that has a matching row, in the direction of `step`, wrapping
   * around at the end. Returns false, without changing anything, when no row matches.
   */
  async goToMatch(fits: (row: Row) => boolean, step: 1 | -1): Promise<boolean> {
    const { log, threadId } = this.#options;
    const { firstSeq, lastSeq } = this.ranges.view();
    let [at, isWrapped] = [step === 1 ? lastSeq : firstSeq, false];
    while (!this.#stop.signal.aborted) {
      const window = await readWindow(log, threadId, {
        ...(step === 1 ? { after: at } : { before: at }),
        limit: searchedEvents,
      });
      const isOver = window.events.length === 0 || (step === 1 ? !window.hasLater : !window.hasEarlier);
      if (this.#hasMatch(window, fits)) {
        await this.ranges.goTo(Math.floor((window.firstSeq + window.lastSeq) / 2));
        return true;
      }
      if (isWrapped && (step === 1 ? window.lastSeq >= firstSeq : window.firstSeq <= lastSeq)) return false;
      if (isOver && isWrapped) return false;
      if (isOver) [at, isWrapped] = [step === 1 ? 0 : Number.MAX_SAFE_INTEGER, true];
      else at = step === 1 ? window.lastSeq : window.firstSeq;
    }
    return false;
  }

  /** Returns the rows of the whole thread. */
  async all(): Promise<readonly Row[]> {
    const { log, threadId, cwd } = this.#options;
    const times = new EventTimes();
    let state = threadReading.initial;
    for await (const event of readEvents(log, threadId)) {
      state = threadReading.step(state, event);
      times.take(event);
    }
    return new RowFeed({ cwd, times }).take(threadReading.view(state));
  }

  close(): void {
    this.#stop.abort();
  }

  #hasMatch(window: Awaited<ReturnType<typeof readWindow>>, fits: (row: Row) => boolean): boolean {
    if (window.events.length === 0) return false;
    return this.#renderRows(LoadedRange.of(window, searchedEvents).view(), window.events).some(fits);
  }

  #renderRows(reading: ThreadReading, events: readonly LoggedEvent[]): readonly Row[] {
    const times = new EventTimes();
    for (const event of events) times.take(event);
    return new RowFeed({ cwd: this.#options.cwd, times }).take(reading);
  }
}

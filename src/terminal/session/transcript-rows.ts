import type { LoggedEvent } from '../../events/index.ts';
import { type EventLog, readEvents, readWindow } from '../../log/index.ts';
import { type ThreadReading, threadReading } from '../../projections/index.ts';
import { LoadedRange } from '../../projections/reading/ranges/loaded-range.ts';
import { ThreadRanges } from '../../projections/reading/ranges/thread-ranges.ts';
import { RowFeed } from '../rows/row-feed.ts';
import type { Row } from '../rows/row.ts';
import { EventTimes } from '../rows/times.ts';

export interface TranscriptRowsOptions {
  readonly log: EventLog;
  readonly threadId: string;
  /** The folder of the person: paths inside it are shown without it. */
  readonly cwd: string;
}

/** About how many events are read at once, to be shown and to be searched. */
const windowEvents = 500;
const searchedEvents = 300;

/** The rows of the part of a thread that a person looks at. Other parts are read on demand; how many are kept is bounded. */
export class TranscriptRows {
  readonly #options: TranscriptRowsOptions;
  readonly #stop = new AbortController();
  readonly #ranges: ThreadRanges;
  #rows: readonly Row[] | undefined;

  private constructor(options: TranscriptRowsOptions) {
    this.#options = options;
    const { log, threadId } = options;
    this.#ranges = new ThreadRanges({
      read: part => readWindow(log, threadId, part),
      limit: windowEvents,
      signal: this.#stop.signal,
      changed: () => (this.#rows = undefined),
    });
  }

  /** Reads the end of a thread. */
  static async open(options: TranscriptRowsOptions): Promise<TranscriptRows> {
    const rows = new TranscriptRows(options);
    rows.#ranges.begin(await readWindow(options.log, options.threadId, { limit: windowEvents }));
    return rows;
  }

  /** The rows of what is loaded, in order. */
  get rows(): readonly Row[] {
    if (this.#rows === undefined) {
      this.#ranges.drop();
      const view = this.#ranges.view();
      const events: LoggedEvent[] = [];
      for (let seq = view.firstSeq; seq <= view.lastSeq; seq++) {
        const event = this.#ranges.eventAt(seq);
        if (event !== undefined) events.push(event);
      }
      this.#rows = this.#rowsOf(view, events);
    }
    return this.#rows;
  }

  get hasEarlier(): boolean {
    return this.#ranges.view().hasEarlier;
  }

  get hasLater(): boolean {
    return this.#ranges.view().hasLater;
  }

  /** Takes in the next event of the thread. */
  take(event: LoggedEvent): void {
    this.#ranges.take(event);
  }

  loadEarlier(): Promise<void> {
    return this.#ranges.loadEarlier();
  }

  loadLater(): Promise<void> {
    return this.#ranges.loadLater();
  }

  goToStart(): Promise<void> {
    return this.#ranges.goTo(1);
  }

  goToEnd(): void {
    this.#ranges.goToEnd();
  }

  /**
   * Loads the nearest part that is not loaded and has a row that fits, after what is loaded or before it, then from the
   * other end. Returns false, with nothing changed, when there is none.
   */
  async goToMatch(fits: (row: Row) => boolean, step: 1 | -1): Promise<boolean> {
    const { log, threadId } = this.#options;
    const { firstSeq, lastSeq } = this.#ranges.view();
    let [at, isWrapped] = [step === 1 ? lastSeq : firstSeq, false];
    while (!this.#stop.signal.aborted) {
      const window = await readWindow(log, threadId, {
        ...(step === 1 ? { after: at } : { before: at }),
        limit: searchedEvents,
      });
      const isOver = window.events.length === 0 || (step === 1 ? !window.hasLater : !window.hasEarlier);
      if (this.#hasMatch(window, fits)) {
        await this.#ranges.goTo(Math.floor((window.firstSeq + window.lastSeq) / 2));
        return true;
      }
      if (isWrapped && (step === 1 ? window.lastSeq >= firstSeq : window.firstSeq <= lastSeq)) return false;
      if (isOver && isWrapped) return false;
      if (isOver) [at, isWrapped] = [step === 1 ? 0 : Number.MAX_SAFE_INTEGER, true];
      else at = step === 1 ? window.lastSeq : window.firstSeq;
    }
    return false;
  }

  /** The rows of the whole thread. */
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
    return this.#rowsOf(LoadedRange.of(window, searchedEvents).view(), window.events).some(fits);
  }

  #rowsOf(reading: ThreadReading, events: readonly LoggedEvent[]): readonly Row[] {
    const times = new EventTimes();
    for (const event of events) times.take(event);
    return new RowFeed({ cwd: this.#options.cwd, times }).take(reading);
  }
}

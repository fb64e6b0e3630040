import type { LoggedEvent } from '../../../events/vocabulary.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import type { PagedList } from '../paged-list.ts';
import type { ThreadReading } from '../thread-reading.ts';
import type { ViewNode } from '../view-node.ts';
import { LoadedRange } from './loaded-range.ts';
import type { WindowOfThread, WindowPart } from './thread-window.ts';
import { defined } from '../../../base/defined.ts';

/** How many windows of events are kept before some are dropped, and how many then stay. */
const mostWindows = 8;
const keptWindows = 4;
/** How many earlier windows are read to place an event that is about something earlier. */
const mostCorrections = 3;

interface RangesOptions {
  readonly read: (part: WindowPart) => Promise<WindowOfThread>;
  /** About how many events a window has; all events are kept when undefined. */
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
  /** Called after each change. */
  readonly changed: () => void;
}

/** The reading of the loaded part of a thread. It is immutable: each change returns a new object. */
export interface LoadedReading extends ThreadReading {
  readonly conversation: Conversation;
  /** The seq of the first event and of the last event that the messages show. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Whether there are earlier events that were not read: `loadEarlier` reads some. */
  readonly hasEarlier: boolean;
  /** Whether the messages are those of an earlier part of the thread: `loadLater` continues it. */
  readonly hasLater: boolean;
  /** The newest messages: the same as `nodeList` unless an earlier part is shown. */
  readonly newestList: PagedList<ViewNode>;
}

/**
 * What is loaded of a thread: the newest events, which grow, and an earlier part while a reader is there. Both have a
 * bounded number of events. An earlier part that reaches the newest events becomes one range with them.
 */
export class ThreadRanges {
  readonly #options: RangesOptions;
  readonly #limit: number;
  #newest: LoadedRange;
  /** The range that is shown instead of the newest events. */
  #earlier: LoadedRange | undefined;
  /** The event that the reader sees; undefined while the reader follows the newest. */
  #reader: number | undefined;
  /** The first event that has to stay; undefined when every one may be dropped. */
  #held: number | undefined;
  #loading: Promise<void> | undefined;
  #corrections = 0;

  constructor(options: RangesOptions) {
    this.#options = options;
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY;
    this.#newest = new LoadedRange(options.limit);
  }

  get #shown(): LoadedRange {
    return this.#earlier ?? this.#newest;
  }

  /** Begins with the newest window. */
  begin(window: WindowOfThread): void {
    this.#newest.addEarlier(window);
    this.#correct();
    this.#options.changed();
  }

  /** Applies the next event of the thread. */
  take(event: LoggedEvent): void {
    this.#newest.take(event);
    this.#correct();
    this.#options.changed();
  }

  view(): LoadedReading {
    const newest = this.#newest.view();
    const shown = this.#earlier === undefined ? newest : this.#earlier.view();
    const place = {
      conversation: this.#newest.state.conversation,
      firstSeq: this.#shown.firstSeq,
      lastSeq: this.#shown.lastSeq,
      hasEarlier: this.#shown.firstSeq > 1,
      hasLater: this.#earlier !== undefined,
      newestList: newest.nodeList,
    };
    return Object.assign(shown === newest ? newest : earlierView(shown, newest), place);
  }

  eventAt(seq: number): LoggedEvent | undefined {
    return this.#shown.eventAt(seq);
  }

  look(seq: number | undefined): void {
    this.#reader = seq;
  }

  /** Keeps the event of a seq and everything after it. */
  hold(seq: number): void {
    this.#held = seq;
  }

  loadEarlier(): Promise<void> {
    return this.#once(async () => {
      const range = this.#shown;
      const { firstSeq } = range;
      await this.#readEarlier(range);
      if (range === this.#shown) this.#reader = firstSeq;
    });
  }

  loadLater(): Promise<void> {
    return this.#once(async () => {
      const range = this.#earlier;
      if (range === undefined || this.#reachesNewest(range)) return;
      const { lastSeq, nextEnd = Number.POSITIVE_INFINITY } = range;
      const limit = nextEnd - lastSeq <= 4 * this.#limit ? nextEnd - lastSeq : this.#limit;
      const later = await this.#options.read({ after: lastSeq, limit });
      if (this.#options.signal.aborted || this.#earlier !== range || range.lastSeq !== lastSeq) return;
      range.addLater(later);
      this.#reader = lastSeq;
      this.#reachesNewest(range);
      this.#options.changed();
    });
  }

  async goTo(seq: number): Promise<void> {
    // The call that started the loading reports its failure.
    await this.#loading?.catch(() => {});
    if (this.#limit === Number.POSITIVE_INFINITY || this.#shown.has(seq)) return;
    if (this.#newest.has(seq)) return this.goToEnd();
    const window = await this.#options.read({ around: Math.max(1, seq), limit: this.#limit });
    if (this.#options.signal.aborted || window.events.length === 0) return;
    this.#earlier = LoadedRange.of(window, this.#limit);
    this.#reader = seq;
    this.#reachesNewest(this.#earlier);
    this.#options.changed();
  }

  goToEnd(): void {
    if (this.#earlier === undefined) return;
    this.#earlier = undefined;
    this.#reader = undefined;
    this.#options.changed();
  }

  /** Drops pages far from the reader when too many are loaded; returns whether the view changed. */
  drop(): boolean {
    const kept = keptWindows * this.#limit;
    const most = mostWindows * this.#limit;
    const range = this.#shown;
    if (range !== this.#newest && this.#newest.size > most)
      this.#newest.dropEarliest(this.#getLeast(this.#newest, kept));
    if (range.size <= most) return false;
    const { firstSeq, lastSeq } = range;
    const reader = this.#reader ?? lastSeq;
    if (this.#held !== undefined || reader - firstSeq >= lastSeq - reader) {
      range.dropEarliest(this.#getLeast(range, kept));
      return range.firstSeq !== firstSeq;
    }
    this.#earlier = range.withoutLatest(kept);
    if (range === this.#newest) range.dropEarliest(this.#limit);
    return true;
  }

  /** How many events of a range stay at least: those that are held, too. */
  #getLeast({ lastSeq }: LoadedRange, kept: number): number {
    return this.#held === undefined ? kept : Math.max(kept, lastSeq - this.#held + 1);
  }

  /** Makes one range of an earlier part and the newest events when there is nothing between them. */
  #reachesNewest(range: LoadedRange): boolean {
    if (range.lastSeq + 1 < this.#newest.firstSeq) return false;
    this.#newest = range.join(this.#newest);
    this.#earlier = undefined;
    this.#options.changed();
    return true;
  }

  async #readEarlier(range: LoadedRange): Promise<void> {
    const before = range.firstSeq;
    if (before <= 1) return;
    const { limit, read, signal, changed } = this.#options;
    const earlier = await read({ before, ...defined({ limit }) });
    // Another part may be shown, or its beginning may have been dropped meanwhile.
    const isShown = range === this.#shown || range === this.#newest;
    if (signal.aborted || !isShown || range.firstSeq !== before) return;
    range.addEarlier(earlier);
    changed();
  }

  #once(load: () => Promise<void>): Promise<void> {
    return (this.#loading ??= load().finally(() => (this.#loading = undefined)));
  }

  /** Reads earlier events while something cannot be placed without them. */
  #correct(): void {
    const range = this.#newest;
    if (!range.state.isOutdated) this.#corrections = 0;
    const isDone = !range.state.isOutdated || this.#corrections >= mostCorrections || range.firstSeq <= 1;
    if (isDone || this.#loading !== undefined) return;
    this.#corrections++;
    this.#once(() => this.#readEarlier(range)).then(
      () => this.#correct(),
      () => {},
    );
  }
}

/** An earlier part of a thread, with the facts about its end. */
function earlierView(shown: ThreadReading, newest: ThreadReading): ThreadReading {
  const { seq, running, pending, usage, isOutdated } = newest;
  return Object.assign(shown, { seq, running, pending, usage, isOutdated });
}

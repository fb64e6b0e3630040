import type { LoggedEvent } from '../../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../../events/outline/outline-snapshot.ts';
import { getMessage } from '../../../graph/conversation/queries.ts';
import { ThreadOutline } from '../../../events/outline/thread-outline.ts';
import {
  readingFrom,
  readingUpTo,
  type ThreadReading,
  threadReading,
  type ThreadReadingState,
} from '../thread-reading.ts';
import type { WindowOfThread } from './thread-window.ts';
import { defined } from '../../../base/defined.ts';

/** Events that follow each other, and the snapshot that a reading of them begins with. */
interface Page {
  /** Absent when it begins with the first event of the thread. */
  readonly snapshot?: OutlineSnapshot;
  readonly events: LoggedEvent[];
}

/** Where a page may begin without cutting a text in two. */
const beginnings: ReadonlySet<string> = new Set(['user', 'harness_start', 'step_start']);

/**
 * The events of a thread that are loaded, without gap, in pages, and the reading of them. Pages can be added and dropped
 * at both ends. It shows the branch that is active at its last event; after later pages were dropped, the one they showed.
 */
export class LoadedRange {
  /** About how many events a page has; nothing is kept for dropping when it is undefined. */
  readonly #pageSize: number | undefined;
  #pages: readonly Page[];
  #state: ThreadReadingState;
  /** The last message of the branch that is shown, by the last seq of a range whose later pages were dropped. */
  readonly #tips: Map<number, string>;

  constructor(
    pageSize: number | undefined,
    pages: readonly Page[] = [],
    tips: ReadonlyMap<number, string> = new Map(),
  ) {
    this.#pageSize = pageSize;
    this.#pages = pages;
    this.#tips = new Map(tips);
    this.#state = read(pages);
  }

  /** The range of one window. */
  static of(window: WindowOfThread, pageSize: number): LoadedRange {
    return new LoadedRange(pageSize, [toPage(window)]);
  }

  get state(): ThreadReadingState {
    return this.#state;
  }

  get firstSeq(): number {
    return (this.#pages[0]?.snapshot?.seq ?? 0) + 1;
  }

  /** The seq of its last event; one less than the first when it is empty. */
  get lastSeq(): number {
    return Math.max(this.#state.seq, this.firstSeq - 1);
  }

  /** How many events are loaded. */
  get size(): number {
    return this.#pages.reduce((sum, { events }) => sum + events.length, 0);
  }

  /** The seq at which a dropped page ended that follows this range, to read it again as it was. */
  get nextEnd(): number | undefined {
    let next: number | undefined;
    for (const seq of this.#tips.keys()) if (seq > this.lastSeq && (next === undefined || seq < next)) next = seq;
    return next;
  }

  has(seq: number): boolean {
    return seq >= this.firstSeq && seq <= this.lastSeq;
  }

  /** The event of a seq, when it is loaded. */
  eventAt(seq: number): LoggedEvent | undefined {
    for (const { events } of this.#pages) {
      const event = events[seq - (events[0]?.seq ?? 0)];
      if (event?.seq === seq) return event;
    }
    return undefined;
  }

  view(): ThreadReading {
    const tip = this.#tips.get(this.lastSeq);
    if (tip === undefined) return threadReading.view(this.#state);
    // The placeholder of a message that was not loaded has the id of a person's message.
    const { conversation } = this.#state;
    const id = getMessage(conversation, tip) === undefined ? tip.replace(/:user$/, '') : tip;
    return readingUpTo(this.#state, id);
  }

  /** Applies the event that follows the last one. */
  take(event: LoggedEvent): void {
    this.#state = threadReading.step(this.#state, event);
    if (this.#pageSize === undefined) return;
    const last = this.#pages.at(-1);
    const isFull = last !== undefined && last.events.length >= this.#pageSize;
    if (last === undefined) this.#pages = [{ events: [event] }];
    else if (isFull && beginnings.has(event.type))
      this.#pages = [...this.#pages, { snapshot: outlineAfter(last), events: [event] }];
    else last.events.push(event);
  }

  addEarlier(window: WindowOfThread): void {
    this.#pages = [toPage(window), ...this.#pages];
    this.#state = read(this.#pages);
  }

  addLater(window: WindowOfThread): void {
    this.#pages = [...this.#pages, toPage(window)];
    this.#state = window.events.reduce(threadReading.step, this.#state);
  }

  /** Adds the pages of another range that overlaps this one or follows it at once. */
  join(later: LoadedRange): LoadedRange {
    const first = later.firstSeq;
    const own = this.#pages.flatMap(({ events, ...page }) => {
      const kept = events.filter(({ seq }) => seq < first);
      return kept.length === 0 ? [] : [{ ...page, events: kept }];
    });
    return new LoadedRange(this.#pageSize, [...own, ...later.#pages]);
  }

  /** Drops pages at the beginning while at least this many events stay. */
  dropEarliest(least: number): void {
    const kept = [...this.#pages];
    for (let size = this.size; kept.length > 1; ) {
      size -= kept[0]?.events.length ?? 0;
      if (size < least) break;
      kept.shift();
    }
    if (kept.length === this.#pages.length) return;
    this.#pages = kept;
    this.#state = read(kept);
  }

  /** Returns the range without pages at its end, while at least this many events stay; this one does not change. */
  withoutLatest(least: number): LoadedRange {
    const kept = [...this.#pages];
    const tips = new Map(this.#tips);
    const reading = this.view();
    for (let size = this.size; kept.length > 1; kept.pop()) {
      size -= kept.at(-1)?.events.length ?? 0;
      if (size < least) break;
      const end = kept.at(-1)?.snapshot?.seq ?? 0;
      const tip = tipAt(reading, end) ?? this.#tips.get(this.lastSeq);
      if (tip !== undefined) tips.set(end, tip);
    }
    return new LoadedRange(this.#pageSize, kept, tips);
  }
}

/** The last message of a reading that had begun at a seq. */
function tipAt({ nodeList, hidden, cut }: ThreadReading, seq: number): string | undefined {
  return nodeList.findLast(({ id, partList }) => {
    const first = partList.at(0)?.seq ?? Number.POSITIVE_INFINITY;
    return first <= seq || hidden.has(id) || cut.has(id) ? id : undefined;
  });
}

function toPage({ snapshot, events }: WindowOfThread): Page {
  return { ...defined({ snapshot }), events: [...events] };
}

function read(pages: readonly Page[]): ThreadReadingState {
  const snapshot = pages[0]?.snapshot;
  let state = snapshot === undefined ? threadReading.initial : readingFrom(snapshot);
  for (const { events } of pages) state = events.reduce(threadReading.step, state);
  return state;
}

function outlineAfter({ snapshot, events }: Page): OutlineSnapshot {
  const outline = new ThreadOutline(snapshot);
  for (const event of events) outline.take(event);
  return outline.snapshot();
}

import type { LoggedEvent } from '../events/index.ts';
import type { OutlineSnapshot } from '../events/outline/outline-snapshot.ts';
import { ThreadOutline } from '../events/outline/thread-outline.ts';
import { readingFrom, threadReading, type ThreadReadingState } from '../projections/reading/thread-reading.ts';
import type { WindowOfThread } from './window.ts';

/** Where a reading may begin without cutting a text in two. */
const beginnings: ReadonlySet<string> = new Set(['user', 'harness_start', 'step_start']);

/** How many windows of events are kept before the oldest are dropped. */
const mostWindows = 8;

/**
 * The part of a thread that was read: its events from some place on, and the reading of them. Earlier events can be put
 * before them; when there are very many, the oldest are dropped.
 */
export class ReadPart {
  readonly #limit: number;
  #most: number;
  #begin: OutlineSnapshot | undefined;
  #events: LoggedEvent[] = [];
  #state: ThreadReadingState = threadReading.initial;

  /** `limit` is the number of events of a window; nothing is dropped when it is undefined. */
  constructor(limit: number | undefined) {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#most = mostWindows * this.#limit;
  }

  get state(): ThreadReadingState {
    return this.#state;
  }

  /** The seq of the first event that was read. */
  get firstSeq(): number {
    return (this.#begin?.seq ?? 0) + 1;
  }

  /** Begins with a window, or puts one before what was read. */
  addEarlier({ snapshot, events }: WindowOfThread): void {
    if (this.#events.length > 0) this.#most += events.length;
    this.#begin = snapshot;
    this.#events = [...events, ...this.#events];
    this.#readAgain();
  }

  /** Takes in the next event. */
  take(event: LoggedEvent): void {
    this.#state = threadReading.step(this.#state, event);
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    this.#events.push(event);
    if (this.#events.length > this.#most && beginnings.has(event.type)) this.#dropOldest();
  }

  #dropOldest(): void {
    const from = this.#events.findIndex(({ type }, index) => index >= this.#most / 2 && beginnings.has(type));
    const outline = new ThreadOutline(this.#begin);
    for (const event of this.#events.splice(0, from)) outline.take(event);
    this.#begin = outline.snapshot();
    this.#readAgain();
  }

  #readAgain(): void {
    const begun = this.#begin === undefined ? threadReading.initial : readingFrom(this.#begin);
    this.#state = this.#events.reduce(threadReading.step, begun);
  }
}

import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { ThreadOutline } from '../../events/outline/thread-outline.ts';
import { outlineEvents, outlineLength, OutlinePlaces } from '../derived/outline-places.ts';
import type { Encoded } from '../encode.ts';
import { newestOutline } from './newest-outline.ts';
import { isBusy } from './errors.ts';
import { eventPages } from './event-pages.ts';
import type { Tables } from './tables.ts';

/** How many threads are kept at hand. */
const mostThreads = 500;
/** How many events are read to continue an outline; the backlog handles a thread that is further behind. */
const mostRead = 4 * outlineEvents;

/** How far the outlines of a thread are. */
interface Progress {
  /** The newest event of the thread, and the one of its newest outline. */
  readonly seq: number;
  readonly outlineSeq: number;
  /** How many characters of events follow that outline. */
  readonly length: number;
  /** The outline of the thread up to its newest event; absent until the next outline is due. */
  readonly current: CurrentOutline | undefined;
}

/**
 * Stores the outlines of threads in the transactions that append to them: the end of a thread can be read at once,
 * however far the backlog is. Short threads are only counted.
 */
export class AppendedOutlines {
  readonly #sql: Tables;
  readonly #progress = new Map<number, Progress>();

  constructor(sql: Tables) {
    this.#sql = sql;
  }

  /** Stores the outlines due for events appended after `seq`; call the returned function after the commit. */
  append(key: number, seq: number, { events, bodies }: Encoded): () => void {
    const known = this.#progress.get(key);
    this.#progress.delete(key);
    const before = known?.seq === seq && !isBehind(known) ? known : this.#progressAt(key, seq);
    const length = bodies.reduce((sum, body) => sum + body.length, before.length);
    const isDue = seq + events.length - before.outlineSeq >= outlineEvents || length >= outlineLength;
    const isResumed = before.current === undefined && isDue && !isBehind(before);
    const current = isResumed ? this.#resume(key, seq) : before.current;
    const after = { seq: seq + events.length, outlineSeq: before.outlineSeq, length, current };
    // Where events cannot be read it is tried again later, not with every append.
    if (isResumed && current === undefined) Object.assign(after, { outlineSeq: after.seq, length: 0 });
    current?.take(events, index => bodies[index]?.length ?? 0, true);
    for (const snapshot of current?.due.splice(0) ?? []) {
      this.#sql.outlines.insert(key, snapshot);
      after.outlineSeq = snapshot.seq;
    }
    return () => this.#keep(key, after);
  }

  #keep(key: number, progress: Progress): void {
    this.#progress.set(key, progress);
    if (this.#progress.size > mostThreads) this.#progress.delete(this.#progress.keys().next().value as number);
  }

  #progressAt(key: number, seq: number): Progress {
    const outlineSeq = seq === 0 ? 0 : readable(() => this.#newest(key, seq)?.seq ?? 0, seq);
    const length = readable(() => this.#sql.events.lengthAfter(key, outlineSeq, mostRead), 0);
    return { seq, outlineSeq, length, current: undefined };
  }

  /** The outline of a thread up to a seq; undefined when its events cannot be read. */
  #resume(key: number, seq: number): CurrentOutline | undefined {
    return readable(() => {
      const current = new CurrentOutline(seq === 0 ? undefined : this.#newest(key, seq));
      const place = this.#sql.threads.findPlace(key);
      for (const events of place === undefined ? [] : eventPages(this.#sql, place, current.seq, seq))
        current.take(events, () => 0, false);
      return current.seq === seq ? current : undefined;
    }, undefined);
  }

  #newest(key: number, seq: number): OutlineSnapshot | undefined {
    const place = this.#sql.threads.findPlace(key);
    return place && newestOutline(this.#sql, place, seq);
  }
}

function isBehind({ seq, outlineSeq }: Progress): boolean {
  return seq - outlineSeq > mostRead;
}

/** Returns the read value, or `other` when the file is damaged there: an append does not depend on earlier events. */
function readable<Value>(read: () => Value, other: Value): Value {
  try {
    return read();
  } catch (error) {
    if (isBusy(error)) throw error;
    return other;
  }
}

/** The outline of a thread up to its newest event. */
class CurrentOutline {
  readonly #outline: ThreadOutline;
  readonly #places = new OutlinePlaces();
  /** The outlines to store. */
  readonly due: OutlineSnapshot[] = [];

  constructor(snapshot: OutlineSnapshot | undefined) {
    this.#outline = new ThreadOutline(snapshot);
  }

  get seq(): number {
    return this.#outline.seq;
  }

  take(events: readonly LoggedEvent[], lengthOf: (index: number) => number, isFinal: boolean): void {
    for (const [index, event] of events.entries()) {
      this.#outline.take(event);
      if (this.#places.take(event, lengthOf(index), isFinal)) this.due.push(this.#outline.snapshot());
    }
  }
}

import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { decodeEvent } from '../encode.ts';
import { nextTurn } from '../next-turn.ts';
import type { Thread } from '../event-log.ts';
import { hasWords } from './log-queries.ts';
import { checkSearch, hitIn, type SearchHit, type SearchPage, type SearchQuery, type TextPlace } from './search.ts';
import { firstOrderAt, ordersPerMs, textOfEvents } from './searched-text.ts';
import { fewShared, noOutlines, ThreadDerivation } from './thread-derivation.ts';
import {
  addCall,
  checkUsageQuery,
  isInQuery,
  totalsOf,
  type UsageQuery,
  type UsageRow,
  type GroupedUsage,
  toStoredCalls,
} from './usage-totals.ts';

/** A thread in memory, as far as deriving from its events needs it. */
export interface DerivingThread {
  thread: Thread;
  readonly owner: DerivingThread | undefined;
  readonly fork: number;
  /** The stored texts of the events after the fork: seq fork + 1, fork + 2 … */
  readonly bodies: readonly string[];
  readonly derived: DerivedOfThread;
}

interface StoredText extends TextPlace {
  readonly lastSeq: number;
}

/** The data derived from a thread's own events. */
export class DerivedOfThread {
  derivation: ThreadDerivation | undefined;
  /** How many of the thread's own events were derived from. */
  taken = 0;
  readonly outlines: OutlineSnapshot[] = [];
  readonly messages = new Map<string, number>();
  readonly texts: StoredText[] = [];
}

/** How many events are read before others get their turn, and how many may wait. */
const pageLength = 1_000;
const mostWaiting = 10_000;

/** Events of one thread that were appended after each other. */
interface Appended {
  readonly held: DerivingThread;
  readonly isImported: boolean;
  count: number;
}

/**
 * Derives data from the threads of an in-memory log on demand: most such logs end before a query needs it. When the
 * backlog is long, each append derives from as many events as it adds. A search scans all texts.
 */
export class MemoryDerived {
  readonly #used = new Map<string, UsageRow>();
  /** The appends that were not derived from yet, in order, and how many events they have. */
  readonly #backlog: Appended[] = [];
  #waiting = 0;
  /** The newest order of each millisecond. */
  readonly #orders = new Map<number, number>();

  /** Notes the next events of a thread. */
  append(held: DerivingThread, count: number, isImported: boolean): void {
    const last = this.#backlog.at(-1);
    if (last?.held === held && last.isImported === isImported) last.count += count;
    else this.#backlog.push({ held, isImported, count });
    this.#waiting += count;
    if (this.#waiting > mostWaiting) this.#catchUpTo(this.#waiting - count);
  }

  /** Derives from all that was appended, before anything else happens. */
  catchUpAtOnce(): void {
    this.#catchUpTo(0);
  }

  /** Derives from all that was appended until now; others get their turn after each page. */
  async #catchUp(): Promise<void> {
    for (let left = this.#waiting; left > 0 && this.#waiting > 0; ) {
      const before = this.#waiting;
      this.#catchUpTo(Math.max(0, before - left), pageLength);
      left -= before - this.#waiting;
      if (left > 0) await nextTurn();
    }
  }

  /** Derives until so many events wait, or about so many were read. */
  #catchUpTo(waiting: number, mostRead: number = Number.MAX_SAFE_INTEGER): void {
    for (let read = 0; this.#waiting > waiting && read < mostRead; ) {
      const first = this.#backlog[0] as Appended;
      const count = Math.min(first.count, pageLength, this.#waiting - waiting);
      read += count + this.#derive(first.held, count, first.isImported);
      this.#waiting -= count;
      first.count -= count;
      if (first.count === 0) this.#backlog.shift();
    }
  }

  /** Derives from the next events of a thread; returns how many that it shares were read for that. */
  #derive(held: DerivingThread, count: number, isImported: boolean): number {
    const { derived } = held;
    const begun =
      derived.derivation === undefined ? beginDerivation(held) : { derivation: derived.derivation, read: 0 };
    derived.derivation = begun.derivation;
    const bodies = held.bodies.slice(derived.taken, derived.taken + count);
    derived.taken += count;
    const { messages, outlines, texts, used } = derived.derivation.take(
      bodies.map(decodeEvent),
      index => bodies[index]?.length ?? 0,
    );
    for (const { messageId, seq } of messages)
      if (!derived.messages.has(messageId)) derived.messages.set(messageId, seq);
    derived.outlines.push(...outlines);
    for (const { seq, lastSeq, messageId, time } of texts)
      derived.texts.push({ order: this.#nextOrder(firstOrderAt(time)), seq, lastSeq, messageId });
    for (const call of toStoredCalls(used, isImported)) addCall(this.#used, held.thread, call);
    return begun.read;
  }

  /** Puts the title of a thread in its place among the texts. */
  setTitle({ thread, derived: { texts } }: DerivingThread): void {
    this.catchUpAtOnce();
    const place = texts.findIndex(({ seq }) => seq === 0);
    if (place >= 0) texts.splice(place, 1);
    texts.push({ order: this.#nextOrder(firstOrderAt(thread.updatedAt)), seq: 0, lastSeq: 0, messageId: '' });
  }

  /** The first free place after the texts of a millisecond. */
  #nextOrder(first: number): number {
    const order = (this.#orders.get(first) ?? first - 1) + 1;
    if (order >= first + ordersPerMs) return this.#nextOrder(order);
    this.#orders.set(first, order);
    return order;
  }

  async usage(query: UsageQuery = {}): Promise<GroupedUsage[]> {
    checkUsageQuery(query);
    await this.#catchUp();
    return totalsOf(
      [...this.#used.values()].filter(row => isInQuery(row, query)),
      query,
    );
  }

  async search(threads: ReadonlyMap<string, DerivingThread>, query: SearchQuery): Promise<SearchPage> {
    const { words, resourceId, limit, before } = checkSearch(query);
    await this.#catchUp();
    const found: { readonly place: StoredText; readonly hit: SearchHit }[] = [];
    for (const held of words.length === 0 ? [] : threads.values()) {
      if (resourceId !== undefined && held.thread.resourceId !== resourceId) continue;
      for (const { place, text } of listTexts(held, threads))
        if (place.order < before && hasWords(text, words))
          found.push({ place, hit: hitIn(held.thread, place, text, words) });
    }
    const page = found.toSorted((a, b) => b.place.order - a.place.order);
    const end = limit > page.length ? page.length : findLast(page, limit);
    const next = end < page.length && { next: String(page[end - 1]?.place.order) };
    return { hits: page.slice(0, end).map(({ hit }) => hit), ...next, isComplete: true };
  }

  /** The newest outline of a thread at or before a seq, its own or one that it shares. */
  async outlineAt(held: DerivingThread, seq: number): Promise<OutlineSnapshot | undefined> {
    await this.#catchUp();
    return heldOutline(held, seq);
  }

  /** The seq of a message of a thread, its own or one that it shares. */
  async seqOfMessage(held: DerivingThread, messageId: string): Promise<number | undefined> {
    await this.#catchUp();
    let upTo = Number.MAX_SAFE_INTEGER;
    for (let at: DerivingThread | undefined = held; at !== undefined; at = at.owner) {
      const seq = at.derived.messages.get(messageId);
      if (seq !== undefined && seq <= upTo) return seq;
      upTo = at.fork;
    }
    return undefined;
  }
}

/** A page ends after all threads that show its last text. */
function findLast(found: readonly { readonly place: StoredText }[], limit: number): number {
  let end = limit;
  while (found[end]?.place.order === found[limit - 1]?.place.order && end < found.length) end++;
  return end;
}

function heldOutline(held: DerivingThread, seq: number): OutlineSnapshot | undefined {
  let upTo = seq;
  for (let at: DerivingThread | undefined = held; at !== undefined; at = at.owner) {
    const found = at.derived.outlines.findLast(outline => outline.seq <= upTo);
    if (found !== undefined) return found;
    upTo = Math.min(upTo, at.fork);
  }
  return undefined;
}

/**
 * Begins to derive from a thread with what it shares, and returns how many events were read for that. Where a branch
 * begins, its owner gets an outline: a branch of a branch would read all of them again.
 */
function beginDerivation(held: DerivingThread): { readonly derivation: ThreadDerivation; readonly read: number } {
  const derivation = new ThreadDerivation(heldOutline(held, held.fork));
  const outlined = derivation.seq;
  const shared: { readonly owner: DerivingThread; readonly end: number }[] = [];
  for (let at = held; at.owner !== undefined && outlined < at.fork; at = at.owner)
    shared.push({ owner: at.owner, end: at.fork });
  for (const { owner, end } of shared.toReversed()) {
    const bodies = owner.bodies.slice(derivation.seq - owner.fork, end - owner.fork);
    derivation.take(bodies.map(decodeEvent), () => 0, noOutlines);
  }
  const read = derivation.seq - outlined;
  const snapshot = read < fewShared ? undefined : derivation.snapshot();
  if (snapshot !== undefined && held.owner !== undefined) {
    const { outlines } = held.owner.derived;
    outlines.splice(outlines.findLastIndex(({ seq }) => seq < snapshot.seq) + 1, 0, snapshot);
  }
  return { derivation, read };
}

/** The texts that a thread shows: its own, and those of deleted threads that it shares. */
function* listTexts(held: DerivingThread, threads: ReadonlyMap<string, DerivingThread>) {
  let upTo = Number.MAX_SAFE_INTEGER;
  for (let at: DerivingThread | undefined = held; at !== undefined; at = at.owner) {
    const isShown = at === held || threads.get(at.thread.id) !== at;
    for (const place of isShown ? at.derived.texts : []) {
      if (place.seq === 0 ? at !== held : place.seq > upTo) continue;
      // Of a text that began before a branch, the branch has the rest.
      const bodies = at.bodies.slice(Math.max(0, place.seq - at.fork - 1), place.lastSeq - at.fork);
      const text = place.seq === 0 ? (at.thread.title ?? '') : textOfEvents(bodies.map(decodeEvent));
      yield { place, text };
    }
    upTo = at.fork;
  }
}

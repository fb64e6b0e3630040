import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { addUsage } from '../../events/usage-sum.ts';
import { decodeEvent, type Encoded } from '../encode.ts';
import type { Thread } from '../event-log.ts';
import { hasWords } from './log-queries.ts';
import { checkSearch, hitIn, type SearchHit, type SearchPage, type SearchQuery, type TextPlace } from './search.ts';
import { textOfEvents } from './searched-text.ts';
import { ThreadDerivation } from './thread-derivation.ts';
import {
  checkUsageQuery,
  isInQuery,
  totalsOf,
  type UsageQuery,
  type UsageRow,
  type GroupedUsage,
} from './usage-totals.ts';

/** A thread in memory, as far as deriving from its events needs it. */
export interface DerivingThread {
  thread: Thread;
  readonly owner: DerivingThread | undefined;
  readonly fork: number;
  /** The stored texts of its own events: seq fork + 1, fork + 2 … */
  readonly bodies: readonly string[];
  readonly derived: DerivedOfThread;
}

interface StoredText extends TextPlace {
  readonly lastSeq: number;
}

/** What is derived from a thread's own events. */
export class DerivedOfThread {
  derivation: ThreadDerivation | undefined;
  readonly outlines: OutlineSnapshot[] = [];
  readonly messages = new Map<string, number>();
  readonly texts: StoredText[] = [];
}

/** Keeps what is derived from the threads of a log in memory. A search looks through all texts. */
export class MemoryDerived {
  readonly #used = new Map<string, UsageRow>();
  #order = 0;

  append(held: DerivingThread, { events, bodies }: Encoded, isImported: boolean): void {
    const { derived } = held;
    derived.derivation ??= begun(held);
    const { messages, outlines, texts, used } = derived.derivation.take(events, index => bodies[index]?.length ?? 0);
    for (const { messageId, seq } of messages)
      if (!derived.messages.has(messageId)) derived.messages.set(messageId, seq);
    derived.outlines.push(...outlines);
    for (const { seq, lastSeq, messageId } of texts)
      derived.texts.push({ order: ++this.#order, seq, lastSeq, messageId });
    const { resourceId } = held.thread;
    for (const call of isImported ? [] : used) {
      const key = JSON.stringify([resourceId, call.day, call.agentId, call.modelId]);
      const before = this.#used.get(key);
      const counts = before === undefined ? call.counts : addUsage(before.counts, call.counts);
      this.#used.set(key, { ...call, counts, resourceId, modelCalls: (before?.modelCalls ?? 0) + 1 });
    }
  }

  /** Puts the title of a thread in its place among the texts. */
  setTitle({ derived: { texts } }: DerivingThread): void {
    const place = texts.findIndex(({ seq }) => seq === 0);
    if (place >= 0) texts.splice(place, 1);
    texts.push({ order: ++this.#order, seq: 0, lastSeq: 0, messageId: '' });
  }

  usage(query: UsageQuery = {}): GroupedUsage[] {
    checkUsageQuery(query);
    return totalsOf(
      [...this.#used.values()].filter(row => isInQuery(row, query)),
      query,
    );
  }

  search(threads: ReadonlyMap<string, DerivingThread>, query: SearchQuery): SearchPage {
    const { words, resourceId, limit, before } = checkSearch(query);
    const found: { readonly place: StoredText; readonly hit: SearchHit }[] = [];
    for (const held of words.length === 0 ? [] : threads.values()) {
      if (resourceId !== undefined && held.thread.resourceId !== resourceId) continue;
      for (const { place, text } of textsOf(held, threads))
        if (place.order < before && hasWords(text, words))
          found.push({ place, hit: hitIn(held.thread, place, text, words) });
    }
    const page = found.toSorted((a, b) => b.place.order - a.place.order);
    const end = limit > page.length ? page.length : lastOf(page, limit);
    const next = end < page.length && { next: String(page[end - 1]?.place.order) };
    return { hits: page.slice(0, end).map(({ hit }) => hit), ...next, isComplete: true };
  }
}

/** A page ends after all threads that show its last text. */
function lastOf(found: readonly { readonly place: StoredText }[], limit: number): number {
  let end = limit;
  while (found[end]?.place.order === found[limit - 1]?.place.order && end < found.length) end++;
  return end;
}

/** The newest outline of a thread at or before a seq, its own or one that it shares. */
export function heldOutline(held: DerivingThread, seq: number): OutlineSnapshot | undefined {
  let upTo = seq;
  for (let at: DerivingThread | undefined = held; at !== undefined; at = at.owner) {
    const found = at.derived.outlines.findLast(outline => outline.seq <= upTo);
    if (found !== undefined) return found;
    upTo = Math.min(upTo, at.fork);
  }
  return undefined;
}

/** The seq of a message of a thread, its own or one that it shares. */
export function heldMessage(held: DerivingThread, messageId: string): number | undefined {
  let upTo = Number.MAX_SAFE_INTEGER;
  for (let at: DerivingThread | undefined = held; at !== undefined; at = at.owner) {
    const seq = at.derived.messages.get(messageId);
    if (seq !== undefined && seq <= upTo) return seq;
    upTo = at.fork;
  }
  return undefined;
}

/** A derivation that has taken in what a thread shares, and its own events. */
function begun(held: DerivingThread): ThreadDerivation {
  const derivation = new ThreadDerivation(heldOutline(held, held.fork));
  for (let seq = derivation.seq + 1; seq <= held.fork; seq++) {
    let at: DerivingThread | undefined = held;
    while (at !== undefined && seq <= at.fork) at = at.owner;
    if (at !== undefined) derivation.take([decodeEvent(at.bodies[seq - at.fork - 1] ?? '')], () => 0);
  }
  return derivation;
}

/** The texts that a thread shows: its own, and those of deleted threads that it shares. */
function* textsOf(held: DerivingThread, threads: ReadonlyMap<string, DerivingThread>) {
  let upTo = Number.MAX_SAFE_INTEGER;
  for (let at: DerivingThread | undefined = held; at !== undefined; at = at.owner) {
    const isShown = at === held || threads.get(at.thread.id) !== at;
    for (const place of isShown ? at.derived.texts : []) {
      if (place.seq === 0 ? at !== held : place.seq > upTo) continue;
      const bodies = at.bodies.slice(place.seq - at.fork - 1, place.lastSeq - at.fork);
      const text = place.seq === 0 ? (at.thread.title ?? '') : textOfEvents(bodies.map(decodeEvent));
      yield { place, text };
    }
    upTo = at.fork;
  }
}

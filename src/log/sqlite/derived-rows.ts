import type { LoggedEvent } from '../../events/index.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { checkSearch, hitIn, type SearchHit, type SearchPage, type SearchQuery } from '../derived/search.ts';
import { textOfEvents } from '../derived/searched-text.ts';
import { type Derived, outlineEvents, ThreadDerivation } from '../derived/thread-derivation.ts';
import type { Encoded } from '../encode.ts';
import type { DerivationBacklog } from './derivation-backlog.ts';
import { isBusy } from './errors.ts';
import { EventPage } from './event-table.ts';
import type { IndexedText } from './search-table.ts';
import type { Tables } from './tables.ts';
import { type Place, type ThreadRow, toThread } from './thread-table.ts';

/** How many threads that are appended to are kept at hand. */
const mostThreads = 200;
/** How many events are read again at most to continue with a thread; more are left to the backlog. */
const mostReplayed = 4 * outlineEvents;
/** How many texts are looked at together. */
const textsAtOnce = 64;

interface Current {
  readonly derivation: ThreadDerivation;
  readonly resource: string;
}

/** Keeps what is derived from events beside them, in the transaction that stores them, and finds things with it. */
export class DerivedRows {
  readonly #sql: Tables;
  readonly #backlog: DerivationBacklog;
  readonly #current = new Map<number, Current>();
  #uncommitted: { readonly key: number; readonly current: Current } | undefined;

  constructor(sql: Tables, backlog: DerivationBacklog) {
    this.#sql = sql;
    this.#backlog = backlog;
  }

  /** Stores what is derived from the events of an append, after seq `seq`; never fails because of earlier events. */
  append(threadId: string, { key, seq }: { key: number; seq: number }, stored: Encoded, isImported: boolean): void {
    if (this.#backlog.has(key)) return;
    const current = this.#currentOf(threadId, key, seq);
    this.#current.delete(key);
    if (current === undefined) {
      this.#backlog.add(key, seq);
      return;
    }
    const derived = current.derivation.take(stored.events, index => stored.bodies[index]?.length ?? 0);
    storeDerived(this.#sql, { key, resource: current.resource }, derived, isImported);
    this.#uncommitted = { key, current };
  }

  /** Call it when the transaction of the append is committed. */
  commit(): void {
    if (this.#uncommitted === undefined) return;
    const { key, current } = this.#uncommitted;
    this.#uncommitted = undefined;
    this.#current.set(key, current);
    if (this.#current.size > mostThreads) this.#current.delete(this.#current.keys().next().value as number);
  }

  /** Drops what is kept of threads. */
  clear(): void {
    this.#current.clear();
  }

  /** Indexes a title in the place of the one before. */
  setTitle(key: number, before: string | undefined, title: string | undefined): void {
    if (before === title) return;
    const indexed = before === undefined ? undefined : this.#sql.search.titleOf(key);
    if (indexed !== undefined && before !== undefined) this.#sql.search.delete(indexed, before);
    if (title !== undefined) this.#sql.search.insert(key, { seq: 0, lastSeq: 0, messageId: '', text: title });
  }

  /** Removes the title of a thread from the index, as far as it can be read. */
  removeTitle(key: number): void {
    const indexed = this.#sql.search.titleOf(key);
    if (indexed === undefined) return;
    try {
      this.#sql.search.delete(indexed, this.#sql.threads.kept(key)?.title ?? '');
    } catch (error) {
      if (isBusy(error)) throw error;
    }
  }

  outlineAt(place: Place, seq: number): OutlineSnapshot | undefined {
    return newestOutline(this.#sql, place, seq);
  }

  seqOfMessage(place: Place, messageId: string): number | undefined {
    let upTo = Number.MAX_SAFE_INTEGER;
    for (let at: Place | undefined = place; at !== undefined; at = this.#sql.threads.owner(at)) {
      const seq = this.#sql.outlines.message(at.key, messageId, upTo);
      if (seq !== undefined) return seq;
      upTo = at.fork;
    }
    return undefined;
  }

  search(query: SearchQuery): SearchPage {
    const { words, resourceId, limit, before } = checkSearch(query);
    const isComplete = this.#backlog.isEmpty;
    const hits: SearchHit[] = [];
    for (let from = before; words.length > 0; ) {
      const found = this.#sql.search.find(words, from, textsAtOnce);
      for (const text of found) {
        from = text.order;
        for (const row of this.#sql.threads.showing(text.thread, text.seq))
          if (resourceId === undefined || row.resource === resourceId)
            hits.push(hitIn(toThread(row), text, this.#textOf(text, row), words));
        if (hits.length >= limit) return { hits, next: String(from), isComplete };
      }
      if (found.length < textsAtOnce) break;
    }
    return { hits, isComplete };
  }

  /** Removes what is derived from the events of a row after a seq, a little at once; returns whether nothing is left. */
  deleteSome(key: number, after: number, most: number): boolean {
    this.removeTitle(key);
    const texts = this.#sql.search.after(key, after, Math.ceil(most / 20));
    for (const text of texts) this.#sql.search.delete(text, this.#textOf(text));
    return texts.length === 0 && this.#sql.outlines.deleteSome(key, after, most);
  }

  #textOf({ thread, seq, lastSeq }: IndexedText, row?: ThreadRow): string {
    if (seq === 0) return row === undefined ? '' : (toThread(row).title ?? '');
    const page = new EventPage<LoggedEvent>(lastSeq - seq + 1, Number.MAX_SAFE_INTEGER);
    this.#sql.events.read({ threadId: row?.id ?? '', key: thread, after: seq - 1, end: lastSeq + 1 }, page);
    return textOfEvents(page.items);
  }

  /** The derivation of a thread up to a seq; undefined when too much would have to be read, or it cannot be read. */
  #currentOf(threadId: string, key: number, seq: number): Current | undefined {
    const current = this.#current.get(key);
    if (current?.derivation.seq === seq) return current;
    const row = this.#sql.threads.find(threadId);
    if (row === undefined) return undefined;
    try {
      const derivation = resumeDerivation(this.#sql, row, seq, mostReplayed);
      return derivation && { derivation, resource: row.resource };
    } catch {
      return undefined;
    }
  }
}

/** The newest outline of a thread at or before a seq, its own or one that it shares. */
export function newestOutline({ outlines, threads }: Tables, place: Place, seq: number): OutlineSnapshot | undefined {
  let upTo = seq;
  for (let at: Place | undefined = place; at !== undefined; at = threads.owner(at)) {
    const found = upTo > at.fork ? outlines.newest(at.key, upTo) : undefined;
    if (found !== undefined) return found;
    upTo = Math.min(upTo, at.fork);
  }
  return undefined;
}

/** Continues a derivation after a seq; undefined when more than `most` events would have to be read. */
export function resumeDerivation(sql: Tables, place: Place, seq: number, most: number): ThreadDerivation | undefined {
  const derivation = new ThreadDerivation(newestOutline(sql, place, seq));
  if (seq - derivation.seq > most) return undefined;
  while (derivation.seq < seq) {
    const page = new EventPage<LoggedEvent>(outlineEvents, Number.MAX_SAFE_INTEGER);
    let end = seq + 1;
    let at: Place | undefined = place;
    while (at !== undefined && derivation.seq < at.fork) {
      end = Math.min(end, at.fork + 1);
      at = sql.threads.owner(at);
    }
    if (at === undefined) return undefined;
    sql.events.read({ threadId: '', key: at.key, after: derivation.seq, end }, page);
    if (page.items.length === 0) return undefined;
    derivation.take(page.items, () => 0);
  }
  return derivation;
}

/** Stores what was derived from events of a row. */
export function storeDerived(
  { outlines, search, used }: Tables,
  { key, resource }: { key: number; resource: string },
  derived: Derived,
  isImported: boolean,
): void {
  for (const { messageId, seq } of derived.messages) outlines.insertMessage(key, messageId, seq);
  for (const text of derived.texts) search.insert(key, text);
  for (const snapshot of derived.outlines) outlines.insert(key, snapshot);
  if (!isImported) for (const call of derived.used) used.add(resource, call);
}

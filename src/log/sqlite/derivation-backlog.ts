import { toStoredCalls } from '../derived/usage-totals.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { IndexRest } from '../derived/search.ts';
import { titleText } from '../derived/searched-text.ts';
import { type Derived, fewShared, noOutlines, ThreadDerivation } from '../derived/thread-derivation.ts';
import { nextTurn } from '../next-turn.ts';
import { newestOutline } from './newest-outline.ts';
import { isBusy } from './errors.ts';
import { eventPages } from './event-pages.ts';
import { EventPage } from './event-table.ts';
import { LockWait } from './lock-wait.ts';
import { command, type Connection, query } from './statement.ts';
import { asNumber } from './stored-text.ts';
import type { Tables } from './tables.ts';
import type { KeptThread, Place } from './thread-row.ts';

/** How many events, and how many bytes of them, are derived from before others get their turn. */
const eventsAtOnce = 200;
const bytesAtOnce = 1024 * 1024;
/** How many such steps run before a search, which then uses the texts indexed so far. */
export const stepsBeforeSearch = 10;
/** How long after an append, and after the file is opened, it is derived from what is marked, unless a query needs it earlier. */
const delayMs = 500;
/** How long the file must be unused before the next step, and how often that is waited for. */
const quietMs = 25;
const mostWaits = 2;
/** How long a query waits for the lock of the file before it is answered without the newest events. */
const queryWaitMs = 1_000;
/** How many threads are kept at hand. */
const mostThreads = 200;

/** A thread of which the events after a seq are to be derived from. */
interface Mark {
  readonly position: number;
  readonly key: number;
  readonly after: number;
}

/**
 * The threads from which not everything is derived yet. An append marks its thread in its own transaction; the marks
 * are worked through in small steps shortly after, before a query, or by the next process that opens the file.
 */
export class DerivationBacklog {
  readonly #sql: Tables;
  readonly #write: <Result>(action: () => Result) => Result | Promise<Result>;
  readonly #queryLock = new LockWait(queryWaitMs);
  readonly #count;
  readonly #get;
  readonly #first;
  readonly #last;
  readonly #insert;
  readonly #move;
  readonly #delete;
  /** The last mark of a thread that could not be read. */
  #skippedUpTo = 0;
  readonly #current = new Map<number, ThreadDerivation>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(db: Connection, sql: Tables, write: <Result>(action: () => Result) => Result | Promise<Result>) {
    this.#sql = sql;
    this.#write = write;
    const columns = ['position', 'thread', 'after'].map(asNumber).join();
    this.#count = query(db, 'SELECT count(*) FROM backlog');
    this.#get = query(db, `SELECT ${columns} FROM backlog WHERE thread = ?`);
    this.#first = query(
      db,
      `SELECT ${columns} FROM backlog WHERE position > ? AND position <= ? ORDER BY position LIMIT 1`,
    );
    this.#last = query(db, `SELECT ${asNumber('max(position)')} FROM backlog`);
    this.#insert = command(db, 'INSERT OR IGNORE INTO backlog (thread, after) VALUES (?, ?)');
    this.#move = command(db, 'UPDATE backlog SET after = ? WHERE thread = ?');
    this.#delete = command(db, 'DELETE FROM backlog WHERE thread = ?');
    this.schedule();
  }

  /** Marks a thread whose events after a seq are new, in the transaction that stores them. */
  mark(key: number, after: number): void {
    this.#insert.run(key, after);
  }

  /** Schedules deriving from marked threads; call it when the transaction of the mark is committed. */
  schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#work();
    }, delayMs);
    this.#timer.unref();
  }

  /** Notes that the file is in use: background work is delayed for a moment, so that it does not block other calls. */
  noteUse(): void {
    this.#usedAt = performance.now();
  }

  /** Derives from marked threads in at most this many steps; never rejects. */
  async catchUp(mostSteps: number = Number.MAX_SAFE_INTEGER): Promise<IndexRest> {
    let hasMore = true;
    try {
      for (let steps = 0; hasMore && steps < mostSteps; steps++) {
        if (steps > 0) await nextTurn();
        // Without a mark the lock is not needed.
        hasMore = this.#nextMark() !== undefined && (await this.#beforeQuery(() => this.#step()));
      }
      return { threads: this.#threadsLeft(), hasMore };
    } catch {
      return { threads: 1, hasMore: false }; // A query that needs the index reports what prevents it.
    }
  }

  /** Derives from the events of a thread, and from those it shares; never rejects. */
  async catchUpThread(place: Place): Promise<void> {
    try {
      const places: { key: number; upTo: number }[] = [];
      let end = Number.MAX_SAFE_INTEGER;
      for (let at: Place | undefined = place; at !== undefined; at = this.#sql.threads.owner(at)) {
        places.unshift({ key: at.key, upTo: end });
        end = Math.min(end, at.fork);
      }
      for (const { key, upTo: last } of places)
        for (let after = -1; ; await nextTurn()) {
          const mark = this.#readMark(key);
          if (mark === undefined || mark.after >= last || mark.after === after) break;
          after = mark.after;
          await this.#beforeQuery(() => this.#deriveFrom(key));
        }
    } catch {
      // The query is answered with the data derived so far.
    }
  }

  /** Derives from some events of a deleted thread, whose calls stay counted; returns whether it is finished. */
  finishDeleted(key: number): boolean {
    if (this.#readMark(key) === undefined) return true;
    if (this.#deriveFrom(key) === undefined) this.#delete.run(key);
    const isFinished = this.#readMark(key) === undefined;
    if (isFinished) this.#current.delete(key);
    return isFinished;
  }

  /** Stops deriving; the next process that opens the file continues the backlog. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#queryLock.close();
  }

  #beforeQuery<Result>(action: () => Result): Result | Promise<Result> {
    return this.#queryLock.write(() => this.#sql.transaction.run(action));
  }

  /**
   * Works through what is marked when it begins. What is appended meanwhile waits for the next time: following an agent
   * that writes would take a transaction for every few events.
   */
  async #work(): Promise<void> {
    try {
      const [end] = this.#last.get() as [number | null];
      const upTo = end ?? 0;
      while (!this.#isClosed && this.#nextMark(upTo) !== undefined && (await this.#write(() => this.#step(upTo))))
        await this.#untilQuiet();
    } catch {
      // The next append, query or process continues with it.
    }
  }

  async #untilQuiet(): Promise<void> {
    // A timer that is late when it is set ends in the same turn of the event loop.
    await nextTurn();
    await pause(1);
    for (let waits = 0; waits < mostWaits && performance.now() - this.#usedAt < quietMs; waits++) await pause(quietMs);
  }

  /** Derives from some events of the first threads; returns whether there is more to do. */
  #step(upTo: number = Number.MAX_SAFE_INTEGER): boolean {
    for (let left = eventsAtOnce; left > 0; ) {
      const mark = this.#nextMark(upTo);
      if (mark === undefined) return false;
      const count = this.#deriveFrom(this.#unfinishedOwner(mark));
      if (count === undefined) this.#skippedUpTo = mark.position;
      left -= count ?? 1;
    }
    return this.#nextMark(upTo) !== undefined;
  }

  /** Returns the row to derive from first: the one whose events a branch shares, as long as it is not finished. */
  #unfinishedOwner({ key }: Mark): number {
    const place = this.#sql.threads.kept(key);
    const owner = place && this.#sql.threads.owner(place);
    const mark = owner && this.#readMark(owner.key);
    const isNeeded = mark !== undefined && mark.position > this.#skippedUpTo && mark.after < (place?.fork ?? 0);
    return isNeeded ? this.#unfinishedOwner(mark) : key;
  }

  /** Derives from the next events of a thread; returns how many were read, undefined when they cannot be. */
  #deriveFrom(key: number): number | undefined {
    try {
      const mark = this.#readMark(key);
      return mark === undefined ? 0 : this.#deriveSome(mark);
    } catch (error) {
      if (isBusy(error)) throw error;
      return undefined;
    }
  }

  #deriveSome({ key, after }: Mark): number | undefined {
    const thread = this.#sql.threads.kept(key);
    if (thread === undefined) {
      this.#delete.run(key);
      return 1;
    }
    const start = Math.max(after, thread.fork);
    const resumed = this.#derivationAt(thread, start);
    if (resumed === undefined) return undefined;
    const { derivation, read } = resumed;
    if (start === thread.fork && !thread.isHidden) this.#indexTitle(thread);
    const page = new EventPage<LoggedEvent>(eventsAtOnce, bytesAtOnce);
    const isImported = (thread.imported ?? 0) > start;
    const end = isImported ? (thread.imported ?? 0) + 1 : Number.MAX_SAFE_INTEGER;
    this.#sql.events.read({ threadId: '', key, after: start, end }, page);
    const { length } = page.items;
    const meanLength = (bytesAtOnce - page.bytesLeft) / length;
    // They are stored by appends, except in a file that was written before.
    const outlines = this.#sql.outlines.after(key, start, eventsAtOnce);
    const stored = outlines.length === 0 ? undefined : new Set(outlines);
    this.#store(
      thread,
      derivation.take(page.items, () => meanLength, stored),
      isImported,
    );
    if (length === 0 || (page.left > 0 && !isImported)) this.#delete.run(key);
    else this.#move.run(derivation.seq, key);
    this.#current.set(key, derivation);
    if (this.#current.size > mostThreads) this.#current.delete(this.#current.keys().next().value as number);
    return Math.max(1, length) + read;
  }

  #derivationAt(thread: KeptThread, seq: number): Resumed | undefined {
    const current = this.#current.get(thread.key);
    // When the transaction fails it is not where the mark is.
    this.#current.delete(thread.key);
    return current?.seq === seq ? { derivation: current, read: 0 } : resumeDerivation(this.#sql, thread, seq);
  }

  /** Of a deleted thread only what its branches share can be found. */
  #store(
    { key, id, resource, isHidden }: KeptThread,
    { messages, texts, outlines, used }: Derived,
    isImported: boolean,
  ) {
    const upTo = isHidden ? (this.#sql.threads.lastFork(key) ?? 0) : Number.MAX_SAFE_INTEGER;
    for (const { messageId, seq } of messages) if (seq <= upTo) this.#sql.outlines.insertMessage(key, messageId, seq);
    for (const text of texts) if (text.lastSeq <= upTo) this.#sql.search.insert(key, text);
    for (const snapshot of outlines) if (snapshot.seq <= upTo) this.#sql.outlines.insert(key, snapshot);
    for (const call of toStoredCalls(used, isImported)) this.#sql.used.add(resource, id, call);
  }

  #indexTitle({ key, title, updated }: KeptThread): void {
    if (title === undefined || this.#sql.search.findTitle(key) !== undefined) return;
    this.#sql.search.insert(key, titleText(title, updated));
  }

  #threadsLeft(): number {
    return (this.#count.get() as [number])[0];
  }

  /** The first mark up to a position. */
  #nextMark(upTo: number = Number.MAX_SAFE_INTEGER): Mark | undefined {
    return toMark(this.#first.get(this.#skippedUpTo, upTo));
  }

  #readMark(key: number): Mark | undefined {
    return toMark(this.#get.get(key));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms).unref());
}

function toMark(row: unknown): Mark | undefined {
  if (row === undefined) return undefined;
  const [position, key, after] = row as [number, number, number];
  return { position, key, after };
}

/** A derivation, and how many events were read to continue it. */
interface Resumed {
  readonly derivation: ThreadDerivation;
  readonly read: number;
}

/**
 * Continues a derivation after a seq; undefined when events before it are missing. Where a branch begins, its owner gets
 * an outline: a branch of a branch would read all of them again.
 */
function resumeDerivation(sql: Tables, place: Place, seq: number): Resumed | undefined {
  const derivation = new ThreadDerivation(newestOutline(sql, place, seq));
  const outlined = derivation.seq;
  for (const events of eventPages(sql, place, outlined, seq)) derivation.take(events, () => 0, noOutlines);
  if (derivation.seq !== seq) return undefined;
  const snapshot =
    place.owner === null || seq !== place.fork || seq - outlined < fewShared ? undefined : derivation.snapshot();
  if (snapshot !== undefined) sql.outlines.insert(place.owner as number, snapshot);
  return { derivation, read: seq - outlined };
}

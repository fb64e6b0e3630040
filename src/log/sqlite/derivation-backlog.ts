import type { LoggedEvent } from '../../events/index.ts';
import type { ThreadDerivation } from '../derived/thread-derivation.ts';
import { resumeDerivation, storeDerived } from './derived-rows.ts';
import { EventPage } from './event-table.ts';
import type { Connection } from './open.ts';
import { command, query } from './statement.ts';
import { asNumber } from './stored-text.ts';
import type { Tables } from './tables.ts';

/** How many events are derived from before others get their turn. */
const eventsAtOnce = 200;

/**
 * The threads of a file from which not everything is derived yet, as those of a file of an older version. They are
 * worked through in small steps beside everything else, so that a file of any size opens at once.
 */
export class DerivationBacklog {
  readonly #sql: Tables;
  readonly #write: <Result>(action: () => Result) => Result | Promise<Result>;
  readonly #count;
  readonly #get;
  readonly #first;
  readonly #insert;
  readonly #move;
  readonly #delete;
  /** Threads that could not be read. */
  #skippedUpTo = 0;
  #current: { readonly key: number; readonly derivation: ThreadDerivation } | undefined;
  #isEmpty: boolean;
  #isWorking = false;
  #isClosed = false;

  constructor(db: Connection, sql: Tables, write: <Result>(action: () => Result) => Result | Promise<Result>) {
    this.#sql = sql;
    this.#write = write;
    this.#count = query(db, 'SELECT count(*) FROM backlog');
    this.#get = query(db, `SELECT ${asNumber('after')} FROM backlog WHERE thread = ?`);
    this.#first = query(
      db,
      `SELECT ${asNumber('thread')}, ${asNumber('after')} FROM backlog WHERE thread > ? ORDER BY thread LIMIT 1`,
    );
    this.#insert = command(db, 'INSERT OR IGNORE INTO backlog (thread, after) VALUES (?, ?)');
    this.#move = command(db, 'UPDATE backlog SET after = ? WHERE thread = ?');
    this.#delete = command(db, 'DELETE FROM backlog WHERE thread = ?');
    this.#isEmpty = (this.#count.get() as [number])[0] === 0;
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  has(key: number): boolean {
    return !this.#isEmpty && this.#get.get(key) !== undefined;
  }

  /** Leaves the events of a thread after a seq for later. */
  add(key: number, after: number): void {
    this.#insert.run(key, after);
    this.#isEmpty = false;
    this.start();
  }

  /** Works through the threads, if there are any; never rejects. */
  start(): void {
    if (this.#isEmpty || this.#isWorking) return;
    this.#isWorking = true;
    void this.#work();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #work(): Promise<void> {
    try {
      for (;;) {
        await new Promise(resolve => setTimeout(resolve, 1).unref());
        if (this.#isClosed || !(await this.#write(() => this.#step()))) return;
      }
    } catch {
      // The next one to open the file goes on with it.
    } finally {
      this.#isWorking = false;
    }
  }

  /** Derives from some events of the first thread; returns whether there is more to do. */
  #step(): boolean {
    const row = this.#first.get(this.#skippedUpTo) as [number, number] | undefined;
    if (row === undefined) {
      this.#isEmpty = (this.#count.get() as [number])[0] === 0;
      return false;
    }
    const [key, after] = row;
    try {
      this.#deriveSome(key, after);
    } catch {
      this.#skippedUpTo = key;
    }
    return true;
  }

  #deriveSome(key: number, after: number): void {
    const thread = this.#sql.threads.kept(key);
    if (thread === undefined) return void this.#delete.run(key);
    const start = Math.max(after, thread.fork);
    const derivation =
      this.#current?.key === key && this.#current.derivation.seq === start
        ? this.#current.derivation
        : resumeDerivation(this.#sql, thread, start, Number.MAX_SAFE_INTEGER);
    this.#current = undefined;
    if (derivation === undefined) return void (this.#skippedUpTo = key);
    if (start === thread.fork && !thread.isHidden) this.#indexTitle(key, thread.title);
    const page = new EventPage<LoggedEvent>(eventsAtOnce, 1024 * 1024);
    const isImported = (thread.imported ?? 0) > start;
    const end = isImported ? (thread.imported ?? 0) + 1 : Number.MAX_SAFE_INTEGER;
    this.#sql.events.read({ threadId: '', key, after: start, end }, page);
    storeDerived(
      this.#sql,
      { key, resource: thread.resource },
      derivation.take(page.items, () => 0),
      isImported,
    );
    if (page.items.length === 0) return void this.#delete.run(key);
    this.#current = { key, derivation };
    this.#move.run(derivation.seq, key);
  }

  #indexTitle(key: number, title: string | undefined): void {
    if (title === undefined || this.#sql.search.titleOf(key) !== undefined) return;
    this.#sql.search.insert(key, { seq: 0, lastSeq: 0, messageId: '', text: title });
  }
}

import { nextTurn } from '../next-turn.ts';
import type { DerivedRows } from './derived-rows.ts';
import { type Connection, query } from './statement.ts';
import type { Tables } from './tables.ts';

export interface DeletedThreadsOptions {
  readonly db: Connection;
  readonly tables: Tables;
  readonly derived: DerivedRows;
  /** Performs something in a transaction, in its turn. */
  readonly write: <Result>(action: () => Result) => Result | Promise<Result>;
  /** Performs something that is a transaction by itself, in its turn. */
  readonly perform: <Result>(action: () => Result) => Result | Promise<Result>;
}

/** How many rows, and how many pages of the file, are removed before others get their turn. */
const rowsAtOnce = 500;
const pagesAtOnce = 100;
/** Pauses, in milliseconds, between attempts to remove deleted data from a WAL file that other connections read. */
const pauses = [1, 2, 5, 10, 20, 50, 100];
const laterMs = 1_000;

/**
 * Removes the data of deleted threads in small steps: their rows, the free pages of the file and their copies in the
 * WAL file (`-wal`). Steps that another connection blocks are retried later.
 */
export class DeletedThreads {
  readonly #options: DeletedThreadsOptions;
  readonly #freePages;
  readonly #checkpoint;
  #keys: number[] = [];
  #removing: Promise<void> | undefined;
  #later: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: DeletedThreadsOptions) {
    this.#options = options;
    this.#freePages = query(options.db, 'PRAGMA log.freelist_count');
    this.#checkpoint = query(options.db, 'PRAGMA log.wal_checkpoint(TRUNCATE)');
  }

  /** Resolves when the data of the threads is removed, or when other connections block that for now. */
  remove(keys: readonly number[]): Promise<void> {
    this.#keys.push(...keys);
    return (this.#removing ??= this.#removeAll());
  }

  /** Resumes the removal of threads that an ended process did not finish. */
  removeRest(): void {
    try {
      const rest = this.#options.tables.threads.allHidden();
      if (rest.length > 0) this.#keys.push(...rest);
    } catch {
      // Nothing is removed from a file that cannot be read.
    }
    if (this.#keys.length > 0) this.#continueLater();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#later);
  }

  /** Never rejects: the threads are already invisible to all readers. */
  async #removeAll(): Promise<void> {
    try {
      while (this.#keys.length > 0) {
        await this.#removeRows();
        await this.#shrink();
        if (!(await this.#cleanWal())) this.#continueLater();
      }
    } catch {
      this.#continueLater(); // The cause, such as another process, may be gone by then.
    } finally {
      this.#removing = undefined;
    }
  }

  async #removeRows(): Promise<void> {
    for (let key = this.#keys[0]; key !== undefined; key = this.#keys[0]) {
      const at = key;
      const next = await this.#options.write(() => this.#removeSome(at));
      this.#keys.splice(0, 1, ...(next === null ? [] : [next]));
      await nextTurn();
    }
  }

  /** Removes some data of a deleted thread; returns the thread to continue with. */
  #removeSome(key: number): number | null {
    const { threads, events, rawLines } = this.#options.tables;
    const thread = threads.hidden(key);
    if (thread === undefined) return null;
    if (!rawLines.deleteSome(key, rowsAtOnce)) return key;
    const lastFork = threads.lastFork(key);
    if (!this.#options.derived.deleteSome(key, lastFork ?? 0, rowsAtOnce)) return key;
    if (!events.deleteSome(key, lastFork ?? 0, rowsAtOnce)) return key;
    if (lastFork !== undefined) return null;
    events.deleteOnce(key);
    threads.delete(key);
    return thread.owner;
  }

  /** Returns free pages to the disk; a file without incremental vacuum keeps them. */
  async #shrink(): Promise<void> {
    const { db, perform } = this.#options;
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const free = await perform(() => {
        db.exec(`PRAGMA log.incremental_vacuum(${pagesAtOnce})`);
        return (this.#freePages.get() as [number])[0];
      });
      if (free === 0 || free >= before) return;
      before = free;
      await nextTurn();
    }
  }

  /** Returns false when another connection still reads from the WAL file. */
  async #cleanWal(): Promise<boolean> {
    for (const ms of pauses) {
      if (this.#isClosed || this.#isWalClean()) return true;
      await new Promise(resolve => setTimeout(resolve, ms));
    }
    return this.#isClosed || this.#isWalClean();
  }

  #isWalClean(): boolean {
    try {
      return (this.#checkpoint.get() as [number])[0] === 0;
    } catch {
      return false; // Another connection reads: it is tried again.
    }
  }

  #continueLater(): void {
    if (this.#isClosed || this.#later !== undefined) return;
    this.#later = setTimeout(() => {
      this.#later = undefined;
      if (!this.#isWalClean() || this.#keys.length > 0) this.#continueLater();
      if (this.#keys.length > 0) void this.remove([]);
    }, laterMs);
    this.#later.unref();
  }
}

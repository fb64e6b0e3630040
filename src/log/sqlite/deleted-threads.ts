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
/** Pauses, in milliseconds, until what was deleted is removed from the file beside the log while others read it. */
const pauses = [1, 2, 5, 10, 20, 50, 100];
const laterMs = 1_000;

/**
 * Removes what deleted threads leave, in small steps: their rows, the pages of the file that become free, and what the
 * file beside it (`-wal`) still holds of them. What others prevent for now is done later.
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

  /** Resolves when nothing of the threads is left, or when others prevent it for now. */
  remove(keys: readonly number[]): Promise<void> {
    this.#keys.push(...keys);
    return (this.#removing ??= this.#removeAll());
  }

  /** Goes on with what a process that ended did not remove. */
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

  /** Never rejects: the threads are gone for everybody already. */
  async #removeAll(): Promise<void> {
    try {
      while (this.#keys.length > 0) {
        await this.#removeRows();
        await this.#shrink();
        if (!(await this.#cleanWal())) this.#continueLater();
      }
    } catch {
      this.#continueLater(); // Whatever prevents it now, such as another process, may be gone then.
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

  /** Removes some of what a thread leaves; returns the thread to go on with. */
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

  /** Gives free pages back to the disk; a file that was not made for that keeps them. */
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

  /** Returns false when somebody still reads what the file beside the log holds. */
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

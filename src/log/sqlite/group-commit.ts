import { setImmediate } from 'node:timers';
import type { Transaction } from './transaction.ts';

/** Writes within a transaction; returns what is done, and what the caller gets, when it is committed. */
type Write<Result> = () => () => Result;

interface WaitingWrite {
  readonly write: Write<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  readonly transaction: Transaction;
  /** Performs an action that makes its own transaction, after all that wait for the lock. */
  readonly perform: <Result>(action: () => Result, beforeWaiting?: () => void) => Result | Promise<Result>;
  /** Whether writes wait for the lock: others must wait behind them. */
  readonly isLockAwaited: () => boolean;
}

/**
 * Commits the writes of one turn of the event loop together: many runs at once share a commit. The first write of a turn
 * and those to the same thread after it are committed at once, so that a single writer waits for nothing; writes to
 * other threads when the turn ends, or before something else uses the file. Writes to one thread never share a
 * transaction, and a write that fails does not change the others.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** By thread, in the order in which they came. */
  readonly #waiting = new Map<string, WaitingWrite>();
  /** The thread that is written at once in this turn. */
  #firstThread: string | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Performs a write to a thread. `beforeWaiting` is called when that is not at once, and may throw. */
  write<Result>(threadId: string, write: Write<Result>, beforeWaiting: () => void): Result | Promise<Result> {
    if (this.#firstThread === undefined) {
      this.#firstThread = threadId;
      setImmediate(() => this.#endTurn());
    }
    if (this.#firstThread === threadId && this.#waiting.size === 0) return this.#writeAlone(write, beforeWaiting);
    beforeWaiting();
    if (this.#waiting.has(threadId)) this.flush();
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(threadId, { write, resolve: result => resolve(result as Result), reject });
    });
  }

  /** Commits the writes that wait. */
  flush(): void {
    if (this.#waiting.size === 0) return;
    const group = [...this.#waiting.values()];
    this.#waiting.clear();
    const commits = this.#writeTogether(group);
    for (const [index, { write, resolve, reject }] of group.entries())
      try {
        resolve(commits === undefined ? this.#writeAlone(write) : commits[index]?.());
      } catch (error) {
        reject(error);
      }
  }

  #endTurn(): void {
    this.#firstThread = undefined;
    this.flush();
  }

  /** Returns undefined when each has to be written alone: the lock is not free, or one of the writes throws. */
  #writeTogether(group: readonly WaitingWrite[]): (() => unknown)[] | undefined {
    if (group.length === 1 || this.#options.isLockAwaited()) return undefined;
    try {
      return this.#options.transaction.run(() => group.map(({ write }) => write()));
    } catch {
      return undefined;
    }
  }

  #writeAlone<Result>(write: Write<Result>, beforeWaiting?: () => void): Result | Promise<Result> {
    return this.#options.perform(() => this.#options.transaction.run(write)(), beforeWaiting);
  }
}

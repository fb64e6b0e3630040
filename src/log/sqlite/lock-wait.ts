import { logClosed } from '../checks.ts';
import { isBusy } from './errors.ts';

const firstPauseMs = 1;
const longestPauseMs = 50;
/** How long writes that waited are performed one after the other before others get their turn. */
const turnMs = 10;

interface Waiting {
  readonly since: number;
  readonly attempt: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Performs actions that need a lock of the file. While another process holds the lock, an action is retried with
 * increasing pauses without blocking the event loop; after `waitMs` it rejects with its first error.
 */
export class LockWait {
  readonly #waitMs: number;
  /** Writes in the order in which they came. */
  #writes: Waiting[] = [];
  #pauseMs = firstPauseMs;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #reads = new Set<() => void>();
  #isClosed = false;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Whether writes wait for the lock. */
  get isAwaited(): boolean {
    return this.#writes.length > 0;
  }

  /**
   * Performs a write, at once when it can; writes are performed in the order in which they came. `beforeWaiting` is
   * called when it cannot: what the caller may change meanwhile is copied then.
   */
  write<Result>(write: () => Result, beforeWaiting?: () => void): Result | Promise<Result> {
    if (this.#isClosed) throw logClosed();
    if (this.#writes.length === 0)
      try {
        return write();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    beforeWaiting?.();
    return new Promise((resolve, reject) => {
      this.#writes.push({ since: performance.now(), attempt: () => resolve(write()), reject });
      this.#timer ??= setTimeout(() => this.#tryWrites(), firstPauseMs);
    });
  }

  /** Performs a read, at once when it can. Only for moments is a file that is written locked for readers. */
  read<Result>(read: () => Result): Result | Promise<Result> {
    if (this.#isClosed) throw logClosed();
    try {
      return read();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#readLater(read, error);
    }
  }

  /** Rejects all waiting actions with `log_closed`. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#writes.splice(0)) reject(logClosed());
    for (const resume of this.#reads) resume();
  }

  #tryWrites(): void {
    this.#timer = undefined;
    const end = performance.now() + turnMs;
    while (this.#writes.length > 0 && performance.now() < end && this.#tryFirst());
    if (this.#writes.length > 0 && !this.#isClosed) this.#timer = setTimeout(() => this.#tryWrites(), this.#pauseMs);
  }

  /** Returns whether the next one may be tried. */
  #tryFirst(): boolean {
    const { since, attempt, reject } = this.#writes[0] as Waiting;
    try {
      attempt();
      this.#pauseMs = firstPauseMs;
    } catch (error) {
      if (isBusy(error) && performance.now() - since < this.#waitMs) {
        this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
        return false;
      }
      reject(error);
    }
    this.#writes.shift();
    return true;
  }

  async #readLater<Result>(read: () => Result, first: unknown): Promise<Result> {
    const since = performance.now();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await this.#pause(pauseMs);
      if (this.#isClosed) throw logClosed();
      try {
        return read();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() - since >= this.#waitMs) throw first;
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const resume = () => {
        clearTimeout(timer);
        this.#reads.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, ms);
      this.#reads.add(resume);
    });
  }
}

import type { ThreadLock } from '../harness-config.ts';

/** The lock on the open thread. It is held on two threads only during a switch. */
export class HeldLock {
  readonly #lock: ThreadLock | undefined;
  readonly #onError: (error: unknown) => void;
  #threadId: string | null = null;

  constructor(lock: ThreadLock | undefined, onError: (error: unknown) => void) {
    this.#lock = lock;
    this.#onError = onError;
  }

  /** The locked thread. */
  get threadId(): string | null {
    return this.#threadId;
  }

  /**
   * Acquires the lock of a thread, runs the work, then releases the previous lock. On failure the previous lock stays
   * held and the new one is released.
   */
  async change<Result>(threadId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#threadId;
    if (before === threadId) return work();
    await this.#lock?.acquire(threadId);
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      await this.#releaseLock(threadId);
      throw error;
    }
    this.#threadId = threadId;
    if (before !== null) await this.#releaseLock(before);
    return result;
  }

  /** Releases the lock, if one is held. */
  async release(): Promise<void> {
    const held = this.#threadId;
    this.#threadId = null;
    if (held !== null) await this.#releaseLock(held);
  }

  async #releaseLock(threadId: string): Promise<void> {
    try {
      await this.#lock?.release(threadId);
    } catch (error) {
      this.#onError(error);
    }
  }
}

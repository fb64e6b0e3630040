import type { ThreadLock } from '../harness-config.ts';

/** The one lock of a harness: on the thread that is open. It is never held on two threads for longer than a change takes. */
export class HeldLock {
  readonly #lock: ThreadLock | undefined;
  readonly #onError: (error: unknown) => void;
  #threadId: string | null = null;

  constructor(lock: ThreadLock | undefined, onError: (error: unknown) => void) {
    this.#lock = lock;
    this.#onError = onError;
  }

  /** The thread it is held on. */
  get threadId(): string | null {
    return this.#threadId;
  }

  /**
   * Takes the lock of a thread, does the work, then gives back the one before. When taking or working fails the one
   * before stays held, and the new one is not.
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

  /** Gives the lock back, when one is held. */
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

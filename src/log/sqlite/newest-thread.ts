/** Appends this close together, in milliseconds, need not move their thread in the listing each time: that costs as much as they do. */
const closeMs = 10;

/** The thread that was moved to the top of the listing last, by this process. */
export class NewestThread {
  #threadId: string | undefined;
  #movedAt = 0;

  /** Whether a thread is at the top already, and since shortly. */
  isFresh(threadId: string, now: number): boolean {
    const age = now - this.#movedAt;
    return threadId === this.#threadId && age >= 0 && age < closeMs;
  }

  moved(threadId: string, now: number): void {
    this.#threadId = threadId;
    this.#movedAt = now;
  }

  /** Another one may be at the top. */
  forget(): void {
    this.#threadId = undefined;
  }
}

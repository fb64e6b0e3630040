const longestDelay = 30_000;

/** The restart policy of a server that went down. */
export class RestartPolicy {
  readonly #most: number;
  readonly #delayMs: number;
  #restarts = 0;

  constructor(most: number, delayMs: number) {
    this.#most = most;
    this.#delayMs = delayMs;
  }

  /** Returns the delay before the next start, longer each time; undefined when the limit is reached. */
  next(): number | undefined {
    if (this.#restarts >= this.#most) return undefined;
    const delay = this.#restarts === 0 ? 0 : this.#delayMs * 2 ** (this.#restarts - 1);
    this.#restarts++;
    return Math.min(delay, longestDelay);
  }

  /** Resets the count after a success. */
  reset(): void {
    this.#restarts = 0;
  }
}

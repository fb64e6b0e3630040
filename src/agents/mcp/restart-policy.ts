const longestDelay = 30_000;

/** How often, and after which time, a server that went down is started again. */
export class RestartPolicy {
  readonly #most: number;
  readonly #delayMs: number;
  #restarts = 0;

  constructor(most: number, delayMs: number) {
    this.#most = most;
    this.#delayMs = delayMs;
  }

  /** The time to wait before one more start, longer each time; undefined when there were enough. */
  next(): number | undefined {
    if (this.#restarts >= this.#most) return undefined;
    const delay = this.#restarts === 0 ? 0 : this.#delayMs * 2 ** (this.#restarts - 1);
    this.#restarts++;
    return Math.min(delay, longestDelay);
  }

  /** It works again: what was counted is forgotten. */
  reset(): void {
    this.#restarts = 0;
  }
}

/** Limits how many tasks run at the same time; further ones wait in order of arrival. */
export class Semaphore {
  readonly permits: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.permits = permits;
    this.#free = permits;
  }

  get isFull(): boolean {
    return this.#free === 0;
  }

  /** Waits for a permit and returns the function that releases it. Rejects when the signal aborts first. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    const free = this.#enter(signal);
    if (free !== undefined) await free;
    return () => this.#release();
  }

  /** Runs a task while holding a permit. */
  async run<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
    const free = this.#enter(signal);
    if (free !== undefined) await free;
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  /** Acquires a permit; returns a promise only when no permit is free. */
  #enter(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      const enter = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(enter);
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

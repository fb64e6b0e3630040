/** Lets at most a number of things run at once; the others wait in order. */
export class Places {
  readonly count: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.count = count;
    this.#free = count;
  }

  get isFull(): boolean {
    return this.#free === 0;
  }

  /** Resolves with how to give the place back, once there is one; rejects when the signal aborts before. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else
      await new Promise<void>((resolve, reject) => {
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
    return () => this.#giveBack();
  }

  /** Does something in a place of its own. */
  async use<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
    const giveBack = await this.take(signal);
    try {
      return await task();
    } finally {
      giveBack();
    }
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

import type { Clock } from '../../src/agents/clock.ts';

/** A clock that a test turns by hand. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter(other => other !== timer));
  }

  /** How many timers run. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass; what is due runs in order, at its time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers = this.#timers.filter(timer => timer !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}

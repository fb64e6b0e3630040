import type { Clock } from '../../agents/clock.ts';

/** How long the work of runs may hold the event loop before others get their turn, in milliseconds. */
const shareMs = 5;
/** How many that wait may continue in one turn. */
const mostInTurn = 16;

/**
 * Shares the event loop between runs and everything else: many runs whose next steps are ready at once would hold it for
 * as long as all their steps take together. When a turn has lasted `shareMs` the others wait, and continue in later turns
 * in their order.
 */
export class TurnShare {
  readonly #now: () => number;
  #waiting: (() => void)[] = [];
  /** When the turn started; undefined between turns. */
  #startedAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns a promise that resolves when the caller may continue; undefined when it may do so at once. */
  next(): Promise<void> | undefined {
    if (this.#startedAt === undefined) this.#begin();
    else if (this.#waiting.length > 0 || this.#isOver()) return new Promise(resolve => this.#waiting.push(resolve));
    return undefined;
  }

  /** Calls back after a time, when it may continue; returns a function that cancels it. */
  after(clock: Clock, ms: number, run: () => void): () => void {
    let isCancelled = false;
    const start = () => {
      const turn = this.next();
      if (turn === undefined) run();
      else void turn.then(() => isCancelled || run());
    };
    const cancel = clock.after(ms, start);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  #isOver(): boolean {
    return this.#now() - (this.#startedAt ?? 0) >= shareMs;
  }

  /** Immediates that are requested together run in one turn of the event loop, each with all that follows from it. */
  #begin(): void {
    this.#startedAt = this.#now();
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#startedAt = undefined;
    if (this.#waiting.length === 0) return;
    const count = Math.min(mostInTurn, this.#waiting.length);
    for (let index = 0; index < count; index++) setImmediate(() => this.#resume(index === 0));
    this.#begin();
  }

  /** The time of a turn is that of runs: it starts when the first one continues. */
  #resume(isFirst: boolean): void {
    if (isFirst) this.#startedAt = this.#now();
    if (!this.#isOver()) this.#waiting.shift()?.();
  }
}

/** The share of all runs of this process. */
export const turnShare: TurnShare = new TurnShare();

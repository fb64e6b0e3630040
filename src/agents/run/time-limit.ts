import { type Clock, systemClock } from '../clock.ts';

/** The longest delay of a timer; anything longer is no limit. */
const maxTimer = 2 ** 31 - 1;

/** A clock that never goes back, for durations. */
const steadyClock: Clock = { now: () => performance.now(), after: (ms, run) => systemClock.after(ms, run) };

/** Stops with another signal, or at a time limit. */
export class TimeLimit {
  /** The reason it stopped. */
  #stopped: { readonly reason: unknown } | undefined;
  /** Created when the signal is first read: most tools never do, and it costs more than the rest of a limit. */
  #controller: AbortController | undefined;
  readonly #rejects = new Set<(reason: unknown) => void>();
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  #cancelTimer: (() => void) | undefined;
  /** The remaining milliseconds when the timer started, and its start time in `#since`. */
  #left: number;
  #since = 0;
  #pauses = 0;
  #over = false;
  #isCleared = false;

  constructor(ms: number, outer: AbortSignal, clock: Clock = steadyClock) {
    this.#outer = outer;
    this.#clock = clock;
    this.#left = ms;
    if (outer.aborted) this.#follow();
    outer.addEventListener('abort', this.#follow, { once: true });
    this.#start();
  }

  /** Aborts when the limit stops. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  /** Whether the time limit was reached before the other signal aborted. */
  get over(): boolean {
    return this.#over;
  }

  /** Settles like the work; rejects with the reason when the limit stops first. */
  apply<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== undefined) reject(this.#stopped.reason);
      this.#rejects.add(reject);
      work.then(resolve, reject);
    });
  }

  /** Settles like the work; the time until then does not count. */
  async pauseFor<Value>(work: Promise<Value>): Promise<Value> {
    if (this.#pauses++ === 0) this.#pause();
    try {
      return await work;
    } finally {
      if (--this.#pauses === 0) this.#start();
    }
  }

  /** Clears the limit: it no longer stops. */
  clear(): void {
    this.#isCleared = true;
    this.#cancelTimer?.();
    this.#outer.removeEventListener('abort', this.#follow);
  }

  #start(): void {
    if (this.#left > maxTimer || this.#isCleared || this.#stopped !== undefined) return;
    this.#since = this.#clock.now();
    this.#cancelTimer = this.#clock.after(this.#left, this.#expire);
  }

  #pause(): void {
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = undefined;
    this.#left -= this.#clock.now() - this.#since;
  }

  readonly #follow = () => this.#stop(this.#outer.reason);

  readonly #expire = () => {
    this.#over = true;
    this.#stop(new DOMException('The time is up.', 'TimeoutError'));
  };

  #stop(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    this.#controller?.abort(reason);
    for (const reject of this.#rejects) reject(reason);
  }
}

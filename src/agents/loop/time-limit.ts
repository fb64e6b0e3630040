import { type Clock, systemClock } from '../clock.ts';

/** The longest delay of a timer; anything longer is no limit. */
const maxTimer = 2 ** 31 - 1;

/** A clock that never goes back, for durations. */
const steadyClock: Clock = { now: () => performance.now(), after: (ms, run) => systemClock.after(ms, run) };

/** A signal that aborts with another one, or at a time limit. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  #cancelTimer: (() => void) | undefined;
  /** The time that was left when the timer started, and that moment. */
  #left: number;
  #since = 0;
  #pauses = 0;
  #over = false;
  #isCleared = false;

  constructor(ms: number, outer: AbortSignal, clock: Clock = steadyClock) {
    this.#outer = outer;
    this.#clock = clock;
    this.#left = ms;
    if (outer.aborted) this.#stop();
    outer.addEventListener('abort', this.#stop, { once: true });
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time limit was reached before the other signal aborted. */
  get over(): boolean {
    return this.#over;
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

  /** Clears the limit: the signal no longer aborts. */
  clear(): void {
    this.#isCleared = true;
    this.#cancelTimer?.();
    this.#outer.removeEventListener('abort', this.#stop);
  }

  #start(): void {
    if (this.#left > maxTimer || this.#isCleared || this.signal.aborted) return;
    this.#since = this.#clock.now();
    this.#cancelTimer = this.#clock.after(this.#left, this.#expire);
  }

  #pause(): void {
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = undefined;
    this.#left -= this.#clock.now() - this.#since;
  }

  readonly #stop = () => this.#controller.abort(this.#outer.reason);

  readonly #expire = () => {
    this.#over = true;
    this.#controller.abort(new DOMException('The time is up.', 'TimeoutError'));
  };
}

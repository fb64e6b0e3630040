/** The longest delay of a timer; anything longer is no limit. */
const maxTimer = 2 ** 31 - 1;

/** A signal that aborts with another one, or at a time limit. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  constructor(ms: number, outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#stop();
    outer.addEventListener('abort', this.#stop, { once: true });
    if (ms <= maxTimer) this.#timer = setTimeout(this.#expire, ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time limit was reached before the other signal aborted. */
  get over(): boolean {
    return this.#over;
  }

  /** Clears the limit: the signal no longer aborts. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#stop);
  }

  readonly #stop = () => this.#controller.abort(this.#outer.reason);

  readonly #expire = () => {
    this.#over = true;
    this.#controller.abort(new DOMException('The time is up.', 'TimeoutError'));
  };
}

/** A stream that may be silent for a while. */
export interface Silent {
  /** Whether something was sent since the last check. */
  sent: boolean;
  /** Sends something that readers ignore. */
  keepAlive(): void;
}

/** Keeps streams open that were silent for a while: one timer for all of them. */
export class KeepAlive {
  readonly #streams = new Set<Silent>();
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  add(stream: Silent): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#check(), this.#everyMs).unref();
  }

  delete(stream: Silent): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    for (const stream of this.#streams) {
      if (!stream.sent) stream.keepAlive();
      stream.sent = false;
    }
  }
}

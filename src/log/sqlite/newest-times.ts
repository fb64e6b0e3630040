const mostThreads = 1000;

/** The times of the newest events of threads that this process appended to last. */
export class NewestTimes {
  readonly #times = new Map<string, { readonly seq: number; readonly ts: string }>();

  /** The time of a thread's newest event; undefined when it is not that of the seq. */
  get(threadId: string, seq: number): string | undefined {
    const known = this.#times.get(threadId);
    return known?.seq === seq ? known.ts : undefined;
  }

  set(threadId: string, seq: number, ts: string | undefined): void {
    if (ts === undefined) return;
    if (this.#times.size >= mostThreads) this.#times.clear();
    this.#times.set(threadId, { seq, ts });
  }

  delete(threadId: string): void {
    this.#times.delete(threadId);
  }
}

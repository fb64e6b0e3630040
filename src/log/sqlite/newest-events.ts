const mostThreads = 1000;

interface NewestEvent {
  readonly seq: number;
  readonly ts: string | undefined;
  /** Whether another process may have appended since. */
  readonly isOld: boolean;
}

/** The newest events of threads that this process appended to last. */
export class NewestEvents {
  readonly #events = new Map<string, NewestEvent>();

  set(threadId: string, seq: number, ts: string | undefined): void {
    if (this.#events.size >= mostThreads) this.#events.clear();
    this.#events.set(threadId, { seq, ts, isOld: false });
  }

  /** As far as is known here: what other processes appended since is found when a tail waits. */
  isNewest(threadId: string, seq: number): boolean {
    const known = this.#events.get(threadId);
    return known?.seq === seq && !known.isOld;
  }

  /** The time of a thread's newest event; undefined when it is not that of the seq. */
  timeAt(threadId: string, seq: number): string | undefined {
    const known = this.#events.get(threadId);
    return known?.seq === seq ? known.ts : undefined;
  }

  /** Another process wrote to the file. */
  onChange(): void {
    for (const [threadId, event] of this.#events) this.#events.set(threadId, { ...event, isOld: true });
  }

  delete(threadId: string): void {
    this.#events.delete(threadId);
  }
}

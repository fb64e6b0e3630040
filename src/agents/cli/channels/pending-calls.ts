/** Calls to a program that wait for their answers; each is answered once. */
export class PendingCalls<Answer> {
  readonly #waiting = new Map<unknown, (answer: Answer) => void>();
  #count = 0;

  /** Registers a call and returns its id; `done` gets the answer. */
  add(done: (answer: Answer) => void): number {
    this.#waiting.set(++this.#count, done);
    return this.#count;
  }

  /** Answers a call; returns false when none of this id waits. */
  settle(id: unknown, answer: Answer): boolean {
    const done = this.#waiting.get(id);
    this.#waiting.delete(id);
    done?.(answer);
    return done !== undefined;
  }
}

/** Runs tasks one after another, in the order in which they were added; a task that fails does not stop the next one. */
export class SerialQueue {
  #last: Promise<unknown>;

  /** The first task waits for `ready`, and rejects when that rejects. */
  constructor(ready: Promise<unknown> = Promise.resolve()) {
    this.#last = ready;
  }

  /** Resolves or rejects as the task does. */
  run<Result>(task: () => Promise<Result> | Result): Promise<Result> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** A serial queue for each key; the tasks of different keys run side by side. */
export class SerialQueues {
  readonly #queues = new Map<string, { readonly queue: SerialQueue; size: number }>();

  run<Result>(key: string, task: () => Promise<Result> | Result): Promise<Result> {
    const entry = this.#queues.get(key) ?? { queue: new SerialQueue(), size: 0 };
    this.#queues.set(key, entry);
    entry.size++;
    return entry.queue.run(task).finally(() => {
      entry.size--;
      if (entry.size === 0) this.#queues.delete(key);
    });
  }

  /** The number of keys with tasks that have not ended. */
  get size(): number {
    return this.#queues.size;
  }
}

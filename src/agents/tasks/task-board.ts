import { isDeepStrictEqual } from 'node:util';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { TaskChange, TaskResult } from './task-changes.ts';
import type { TaskItemSnapshot } from './assign-task-ids.ts';

type Tasks = readonly TaskItemSnapshot[];

/** The task list of one thread; applies changes one after another. */
export class TaskBoard {
  #tasks: Tasks;
  readonly #queue = new SerialQueue();
  /** Lists that were written here and have not returned from the log. */
  #written: Tasks[] = [];

  constructor(tasks: Tasks = []) {
    this.#tasks = tasks;
  }

  get tasks(): Tasks {
    return this.#tasks;
  }

  /** Takes a list from the thread's log; ignores lists that were written here. */
  take(tasks: Tasks): void {
    if (this.#written[0] !== undefined && isDeepStrictEqual(this.#written[0], tasks)) {
      this.#written.shift();
      return;
    }
    this.#written = [];
    this.#tasks = tasks;
  }

  /** Applies a change after all earlier ones; a new list is valid once `write` has stored it. */
  change<Result extends TaskResult>(
    make: (tasks: Tasks) => TaskChange<Result>,
    write: (tasks: Tasks) => Promise<void> | void,
  ): Promise<Result> {
    return this.#queue.run(async () => {
      const { tasks, result } = make(this.#tasks);
      if (tasks !== undefined) await this.#store(tasks, write);
      return result;
    });
  }

  /** Replaces the list after all earlier changes; the new one is valid once `write` has stored it. */
  set(tasks: Tasks, write: (tasks: Tasks) => Promise<void> | void): Promise<void> {
    return this.#queue.run(() => this.#store(tasks, write));
  }

  async #store(tasks: Tasks, write: (tasks: Tasks) => Promise<void> | void): Promise<void> {
    this.#written.push(tasks);
    try {
      await write(tasks);
    } catch (error) {
      this.#written = this.#written.filter(list => list !== tasks);
      throw error;
    }
    this.#tasks = tasks;
  }
}

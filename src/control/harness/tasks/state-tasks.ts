import { isDeepStrictEqual } from 'node:util';
import { type AgentEvent, newId } from '../../../events/index.ts';
import type { StateStore } from '../settings/state-store.ts';
import type { TaskItemSnapshot } from './task-item.ts';

type Tasks = readonly TaskItemSnapshot[];

export interface StateTasksOptions {
  readonly state: StateStore;
  readonly hasThread: () => boolean;
  /** Appends an event to the log of the open thread. */
  readonly append: (event: AgentEvent) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Keeps `tasks` of the state and the task list of the open thread in sync: the log is the source of truth. */
export class StateTasks {
  readonly #options: StateTasksOptions;
  /** The newest list of the log. */
  #logged: Tasks = [];
  /** The newest list that is being written; older lists from the log are ignored meanwhile. */
  #sent: Tasks = [];
  #underWay = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(options: StateTasksOptions) {
    this.#options = options;
  }

  /** Resolves when the tasks of the state are in the log. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Sets the tasks of the state to a list from the log. */
  show(tasks: Tasks): void {
    this.#logged = tasks;
    if (this.#underWay > 0) return;
    this.#options.state.setSetting('tasks', tasks.length === 0 ? undefined : [...tasks]);
  }

  /** Restores the newest list of the log: the state's tasks belong to another thread. */
  restore(): void {
    this.show(this.#logged);
  }

  /** Writes changed tasks of the state to the open thread. `restored` when no tool changed them. */
  take({ restored }: { readonly restored: boolean }): void {
    const { state, hasThread } = this.#options;
    const tasks = state.setting('tasks') ?? [];
    if (!hasThread() || isDeepStrictEqual(tasks, this.#underWay > 0 ? this.#sent : this.#logged)) return;
    this.#sent = tasks;
    this.#written = Promise.all([this.#written, this.#write(tasks, restored)]).then(() => {});
  }

  async #write(tasks: Tasks, restored: boolean): Promise<void> {
    const { append, onError } = this.#options;
    this.#underWay++;
    const list = tasks.map(task => ({ ...task }));
    await append({ type: 'tasks', runId: newId(), tasks: list, ...(restored && { restored }) }).catch(onError);
    this.#underWay--;
    this.show(this.#logged);
  }
}

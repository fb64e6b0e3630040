import { isDeepStrictEqual } from 'node:util';
import { type AgentEvent, newId } from '../../../events/index.ts';
import type { StateStore } from '../settings/state-store.ts';
import type { TaskItemSnapshot } from './task-item.ts';

type Tasks = readonly TaskItemSnapshot[];

export interface StateTasksOptions {
  readonly state: StateStore;
  readonly hasThread: () => boolean;
  /** Puts an event into the log of the open thread. */
  readonly append: (event: AgentEvent) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Holds `tasks` of the state and the list of the open thread together: the thread's log has what counts. */
export class StateTasks {
  readonly #options: StateTasksOptions;
  /** The list that the log told last. */
  #logged: Tasks = [];
  /** The list that was put into the log last, while some are on their way: what is told meanwhile is not the last word. */
  #sent: Tasks = [];
  #underWay = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(options: StateTasksOptions) {
    this.#options = options;
  }

  /** Resolves when what was put into the state is in the log. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Shows in the state what the log told. */
  show(tasks: Tasks): void {
    this.#logged = tasks;
    if (this.#underWay > 0) return;
    this.#options.state.setSetting('tasks', tasks.length === 0 ? undefined : [...tasks]);
  }

  /** Shows again what the log told last: what the state was given is for another thread. */
  restore(): void {
    this.show(this.#logged);
  }

  /** The state has other tasks: they are the open thread's from now on. `restored` when no tool changed them. */
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

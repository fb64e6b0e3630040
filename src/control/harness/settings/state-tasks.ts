import { isDeepStrictEqual } from 'node:util';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { newId } from '../../../events/ids.ts';
import type { StateStore } from './state-store.ts';
import type { TaskBoard } from '../../../agents/tasks/task-board.ts';
import type { TaskItemSnapshot } from '../../../agents/tasks/assign-task-ids.ts';

type Tasks = readonly TaskItemSnapshot[];

export interface StateTasksOptions {
  readonly state: StateStore;
  /** The task list of the open thread. */
  readonly board: () => TaskBoard | undefined;
  /** Appends an event to the log of the open thread. */
  readonly append: (event: AgentEvent) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Shows the task list of the open thread as `tasks` of the state, and changes it when these are set. */
export class StateTasks {
  readonly #options: StateTasksOptions;
  /** The newest list that is being written; older ones are not shown meanwhile. */
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

  /** Sets the tasks of the state to the list of the open thread. */
  show(): void {
    if (this.#underWay > 0) return;
    const tasks = this.#options.board()?.tasks ?? [];
    this.#options.state.setSetting('tasks', tasks.length === 0 ? undefined : [...tasks]);
  }

  /** Writes changed tasks of the state to the open thread. `restored` when no tool changed them. */
  take({ restored }: { readonly restored: boolean }): void {
    const board = this.#options.board();
    const tasks = this.#options.state.setting('tasks') ?? [];
    if (board === undefined || isDeepStrictEqual(tasks, this.#underWay > 0 ? this.#sent : board.tasks)) return;
    this.#sent = tasks;
    this.#written = Promise.all([this.#written, this.#write(board, tasks, restored)]).then(() => {});
  }

  async #write(board: TaskBoard, tasks: Tasks, restored: boolean): Promise<void> {
    const { append, onError } = this.#options;
    this.#underWay++;
    const list = tasks.map(task => ({ ...task }));
    const event: AgentEvent = { type: 'tasks', runId: newId(), tasks: list, ...(restored && { restored }) };
    await board.set(list, () => append(event)).catch(onError);
    this.#underWay--;
    this.show();
  }
}

import type { TaskBoard } from '../../../agents/tasks/task-board.ts';
import { type TaskItem, taskSnapshot } from '../../../agents/tasks/assign-task-ids.ts';
import type { HarnessRequestContext } from '../tools/request-context.ts';

/** A fork, and where its task list is stored. */
export interface ForkPlace {
  readonly threadId: string;
  readonly board: TaskBoard;
  readonly signal: AbortSignal;
  /** Stores a task list in the fork's thread. */
  readonly writeTasks: (tasks: readonly TaskItem[]) => Promise<void>;
}

/**
 * The harness context of the tools of a fork: it names the fork, and `tasks` of the state are those of the fork. All
 * other values of the state are shared with the parent.
 */
export function forkContext(parent: HarnessRequestContext, fork: ForkPlace): HarnessRequestContext {
  const { threadId, board, signal: abortSignal, writeTasks } = fork;
  const withTasks = (state: Readonly<Record<string, unknown>>) => ({ ...state, tasks: [...board.tasks] });
  const write = async (tasks: unknown) => {
    const list = taskSnapshot(Array.isArray(tasks) ? (tasks as TaskItem[]) : []);
    const result = { content: '', tasks: list, isError: false };
    await board.change(() => ({ tasks: list, result }), writeTasks);
  };
  const updateState: HarnessRequestContext['updateState'] = updater =>
    parent.updateState(async state => {
      const { updates = {}, events = [], result } = await updater(withTasks(state));
      const { tasks, ...others } = updates as Readonly<Record<string, unknown>>;
      // Written before the next update reads the list.
      if ('tasks' in updates) await write(tasks);
      const emitted = events.filter(({ type }) => type !== 'task_updated');
      return { ...(Object.keys(others).length > 0 && { updates: others }), events: emitted, result };
    });
  return {
    ...parent,
    threadId,
    abortSignal,
    state: withTasks(parent.state),
    getState: () => withTasks(parent.getState()),
    updateState,
    setState: updates => updateState(() => ({ updates, result: undefined })),
  };
}

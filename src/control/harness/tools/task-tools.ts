import { assignTaskIds, type TaskItemInput } from '../../../agents/tasks/assign-task-ids.ts';
import type { TaskChange, TaskResult } from '../../../agents/tasks/task-changes.ts';
import type { TaskItemSnapshot } from '../../../agents/tasks/task-item.ts';
import {
  taskCheck,
  taskComplete,
  type TaskTool,
  taskUpdate,
  taskWrite,
} from '../../../agents/tools/people/task-tools.ts';
import { errorText } from '../../../base/error-text.ts';
import type { HarnessTool } from './harness-tool.ts';
import { harnessContextOf, type HarnessRequestContext } from './request-context.ts';

type Tasks = readonly TaskItemSnapshot[];

/** The task tools as standalone tools: they change the `tasks` of the harness of their request context. */
export const taskWriteTool = harnessTool(taskWrite);
/** Changes one task of the list. */
export const taskUpdateTool = harnessTool(taskUpdate);
/** Marks a task as completed. */
export const taskCompleteTool = harnessTool(taskComplete);
/** Reports the task list and whether all of it is completed. */
export const taskCheckTool = harnessTool(taskCheck);

function harnessTool<Id extends string, Input, Result extends TaskResult>(
  tool: TaskTool<Id, Input, Result>,
): HarnessTool<Input, Result> & { readonly id: Id } {
  const { id, description, inputSchema, change, failed, outside } = tool;
  return {
    id,
    description,
    inputSchema,
    category: 'conversation',
    execute: async (input, context) => {
      const harness = harnessContextOf(context);
      if (harness === undefined) return failed(outside, []);
      try {
        return await changeState(harness, tasks => change(tasks, input));
      } catch (error) {
        return failed(`The task list is unchanged: ${errorText(error)}`, tasksIn(harness.getState?.()));
      }
    },
  };
}

/** Changes the state of a harness after all earlier changes. */
async function changeState<Result extends TaskResult>(
  harness: Partial<HarnessRequestContext>,
  make: (tasks: Tasks) => TaskChange<Result>,
): Promise<Result> {
  const updater = (state: Readonly<Record<string, unknown>>) => {
    const { tasks, result } = make(tasksIn(state));
    if (tasks === undefined) return { result };
    return { updates: { tasks }, events: [{ type: 'task_updated' as const, tasks: [...tasks] }], result };
  };
  if (harness.updateState !== undefined) return harness.updateState(updater);
  const { updates, events = [], result } = updater(harness.getState?.() ?? harness.state ?? {});
  if (updates !== undefined) await harness.setState?.(updates);
  for (const event of events) harness.emitEvent?.(event);
  return result;
}

/** The tasks of a state; missing ids are assigned deterministically. */
function tasksIn(state: Readonly<Record<string, unknown>> = {}): Tasks {
  const tasks = Array.isArray(state['tasks']) ? (state['tasks'] as TaskItemInput[]) : [];
  return tasks.every((task): task is TaskItemSnapshot => task.id !== undefined) ? tasks : assignTaskIds(tasks);
}

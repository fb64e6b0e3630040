import * as z from 'zod';
import { defineTool } from '../../loop/tool.ts';
import type { Tool, ToolCall } from '../../contract/agent.ts';
import type { TaskItemInput } from '../../tasks/assign-task-ids.ts';
import type { TaskBoard } from '../../tasks/task-board.ts';
import {
  checkTasks,
  completeTask,
  summarise,
  type TaskChange,
  type TaskCheckResult,
  type TaskResult,
  updateTask,
  writeTasks,
} from '../../tasks/task-changes.ts';
import { taskItem, type TaskItemSnapshot } from '../../tasks/task-item.ts';
import { conversationCategory } from '../../permissions/conversation-category.ts';

type Tasks = readonly TaskItemSnapshot[];

/** The definition of a task tool: how it changes a list. */
export interface TaskTool<Id extends string, Input, Result extends TaskResult> {
  readonly id: Id;
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  readonly change: (tasks: Tasks, input: Input) => TaskChange<Result>;
  /** The result of a failure, or without a task list. */
  readonly failed: (content: string, tasks: Tasks) => Result;
  readonly outside: string;
}

const taskId = z.string().min(1).describe('the id of the task');
const failed = (content: string, tasks: Tasks): TaskResult => ({ content, tasks: [...tasks], isError: true });
const noUpdate = 'Unable to update task list (no harness context)';
const noAccess = 'Unable to access task list (no harness context)';

export const taskWrite: TaskTool<'task_write', { tasks: TaskItemInput[] }, TaskResult> = {
  id: 'task_write',
  description:
    'Replaces the task list with the one you give: always give the whole list. Use it for work of three steps or more. ' +
    'Mark the task you begin with as in_progress, one at a time, and each as completed as soon as it is done.',
  inputSchema: z.object({ tasks: z.array(taskItem).describe('the whole list') }),
  change: writeTasks,
  failed,
  outside: noUpdate,
};

export const taskUpdate: TaskTool<'task_update', Parameters<typeof updateTask>[1], TaskResult> = {
  id: 'task_update',
  description: 'Changes one task of the list. A task that becomes in_progress puts the one before back to pending.',
  inputSchema: z
    .object({
      id: taskId,
      content: taskItem.shape.content.optional(),
      status: taskItem.shape.status.optional(),
      activeForm: taskItem.shape.activeForm.optional(),
    })
    .refine(({ content, status, activeForm }) => (content ?? status ?? activeForm) !== undefined, {
      message: 'give content, status or activeForm',
    }),
  change: updateTask,
  failed,
  outside: noUpdate,
};

export const taskComplete: TaskTool<'task_complete', { id: string }, TaskResult> = {
  id: 'task_complete',
  description: 'Marks one task of the list as completed.',
  inputSchema: z.object({ id: taskId }),
  change: completeTask,
  failed,
  outside: noUpdate,
};

export const taskCheck: TaskTool<'task_check', Record<string, never>, TaskCheckResult> = {
  id: 'task_check',
  description: 'Summarizes the task list. Use it before you finish, to check that no task is open.',
  inputSchema: z.object({}),
  change: checkTasks,
  failed: (content, tasks) => ({
    content,
    tasks: [...tasks],
    summary: summarise([]),
    incompleteTasks: [],
    isError: true,
  }),
  outside: noAccess,
};

/** The task tools for the loop: they change the thread's list and emit each new one. */
export function taskLoopTools(board: TaskBoard): Tool[] {
  return [
    loopTool(taskWrite, board),
    loopTool(taskUpdate, board),
    loopTool(taskComplete, board),
    loopTool(taskCheck, board),
  ];
}

function loopTool<Id extends string, Input, Result extends TaskResult>(
  { id, description, inputSchema, change }: TaskTool<Id, Input, Result>,
  board: TaskBoard,
): Tool {
  return defineTool({
    name: id,
    description,
    input: inputSchema,
    category: conversationCategory,
    execute: async (input, { emit }: ToolCall) => {
      const result = await board.change(
        tasks => change(tasks, input),
        tasks => emit({ type: 'tasks', tasks: tasks.map(task => ({ ...task })) }),
      );
      return { context: result.content, result };
    },
  });
}

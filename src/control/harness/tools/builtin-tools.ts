import type { Tool } from '../../../agents/loop/tool.ts';
import type { TaskBoard } from '../tasks/task-board.ts';
import { askUserLoopTool } from './ask-user.ts';
import { submitPlanLoopTool } from './submit-plan.ts';
import { taskLoopTools } from './task-tools.ts';

/** The tools that every mode has; `subagent` only when subagents are configured. */
export const builtinToolIds = [
  'ask_user',
  'submit_plan',
  'task_write',
  'task_update',
  'task_complete',
  'task_check',
  'subagent',
] as const;
export type BuiltinToolId = (typeof builtinToolIds)[number];

/** The built-in tools for a run in the board's thread, without those that were disabled. `subagent` is made elsewhere. */
export function builtinTools(board: TaskBoard, disabled: readonly BuiltinToolId[] = []): Tool[] {
  const all = [askUserLoopTool, submitPlanLoopTool, ...taskLoopTools(board)];
  return all.filter(({ name }) => !disabled.some(id => id === name));
}

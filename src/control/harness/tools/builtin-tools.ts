import type { Tool } from '../../../agents/contract/agent.ts';
import type { TaskBoard } from '../../../agents/tasks/task-board.ts';
import { askUserLoopTool } from '../../../agents/tools/people/ask-user.ts';
import { submitPlanLoopTool } from '../../../agents/tools/people/submit-plan.ts';
import { taskLoopTools } from '../../../agents/tools/people/task-tools.ts';

/** The tools of every mode; `subagent` only when subagents are configured. */
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

/** The built-in tools of a run, without the disabled ones. `subagent` is created separately. */
export function builtinTools(board: TaskBoard, disabled: readonly BuiltinToolId[] = []): Tool[] {
  const all = [askUserLoopTool, submitPlanLoopTool(), ...taskLoopTools(board)];
  return all.filter(({ name }) => !disabled.some(id => id === name));
}

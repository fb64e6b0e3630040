import {
  askUser,
  askUserDescription,
  askUserInput,
  type BuiltinResult,
  type Question,
} from '../../../agents/tools/people/ask-user.ts';
import type { HarnessTool } from './harness-tool.ts';
import {
  getHarnessContext,
  type HarnessQuestionAnswer,
  type PlanResponse,
  type HarnessRequestContext,
} from './request-context.ts';
import {
  type Plan,
  submitPlan,
  submitPlanDescription,
  submitPlanInput,
} from '../../../agents/tools/people/submit-plan.ts';
import { assignTaskIds, type TaskItemInput, type TaskItemSnapshot } from '../../../agents/tasks/assign-task-ids.ts';
import type { TaskChange, TaskResult } from '../../../agents/tasks/task-changes.ts';
import {
  taskCheck,
  taskComplete,
  type TaskTool,
  taskUpdate,
  taskWrite,
} from '../../../agents/tools/people/task-tools.ts';
import { errorText } from '../../../base/error-text.ts';

/** Waits for a later answer; rejects with "Aborted" when the signal aborts first. */
function untilAnswered<Answer>(
  signal: AbortSignal | undefined,
  ask: (resolve: (answer: Answer) => void) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new DOMException('Aborted', 'AbortError'));
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    ask(answer => {
      signal?.removeEventListener('abort', abort);
      resolve(answer);
    });
  });
}

/** How many questions and plans were asked: part of their ids. */
let asked = 0;

/** `ask_user` as a standalone tool: asks through the harness of its request context. */
export const askUserTool: HarnessTool<Question, BuiltinResult> & { readonly id: 'ask_user' } = {
  id: 'ask_user',
  description: askUserDescription,
  inputSchema: askUserInput,
  category: 'conversation',
  execute: (question, context) =>
    askUser(question, words => {
      const harness = getHarnessContext(context);
      const { registerQuestion, emitEvent, abortSignal } = harness ?? {};
      if (registerQuestion === undefined || emitEvent === undefined) return undefined;
      const questionId = `q_${++asked}_${Date.now()}`;
      return untilAnswered<HarnessQuestionAnswer>(abortSignal, resolve => {
        registerQuestion.call(harness, { questionId, resolve });
        emitEvent.call(harness, { type: 'ask_question', questionId, ...words });
      });
    }),
};

/** `submit_plan` as a standalone tool: asks through the harness of its request context. */
export const submitPlanTool: HarnessTool<Plan, BuiltinResult> & { readonly id: 'submit_plan' } = {
  id: 'submit_plan',
  description: submitPlanDescription,
  inputSchema: submitPlanInput,
  category: 'conversation',
  execute: (plan, context) =>
    submitPlan(plan, submitted => {
      const harness = getHarnessContext(context);
      const { registerPlanApproval, emitEvent, abortSignal } = harness ?? {};
      if (registerPlanApproval === undefined || emitEvent === undefined) return undefined;
      const planId = `plan_${++asked}_${Date.now()}`;
      return untilAnswered<PlanResponse>(abortSignal, resolve => {
        registerPlanApproval.call(harness, { planId, resolve });
        emitEvent.call(harness, { type: 'plan_approval_required', planId, ...submitted });
      });
    }),
};

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
      const harness = getHarnessContext(context);
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

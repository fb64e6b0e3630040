import { defined } from '../../../events/defined.ts';
import * as z from 'zod';
import { errorText } from '../../../events/index.ts';
import type { RelayAnswer } from '../../../agents/agent.ts';
import { defineTool, type Tool } from '../../../agents/loop/tool.ts';
import { harnessContextOf, type PlanResponse } from './request-context.ts';
import { untilAnswered } from './answer.ts';
import type { BuiltinResult } from './ask-user.ts';
import type { HarnessTool } from './harness-tool.ts';

const input = z.object({
  title: z.string().optional().describe('a short title'),
  plan: z.string().min(1).describe('the whole plan as markdown: what is to be done, in which steps, how it is checked'),
});

type Plan = z.infer<typeof input>;
interface Submitted {
  readonly title: string;
  readonly plan: string;
}

const description =
  'Submits a finished plan to the user and waits for the decision. Use it when you have explored enough and know the ' +
  'steps. After approval you are in the default mode and carry the plan out.';

/** `submit_plan` as a standalone tool: asks through the harness of its request context. */
export const submitPlanTool: HarnessTool<Plan, BuiltinResult> & { readonly id: 'submit_plan' } = {
  id: 'submit_plan',
  description,
  inputSchema: input,
  execute: (plan, context) =>
    submitPlan(plan, submitted => {
      const harness = harnessContextOf(context);
      const { registerPlanApproval, emitEvent, abortSignal } = harness ?? {};
      if (registerPlanApproval === undefined || emitEvent === undefined) return undefined;
      const planId = `plan_${++count}_${Date.now()}`;
      return untilAnswered<PlanResponse>(abortSignal, resolve => {
        registerPlanApproval.call(harness, { planId, resolve });
        emitEvent.call(harness, { type: 'plan_approval_required', planId, ...submitted });
      });
    }),
};

let count = 0;

/** `submit_plan` for the loop: asks through a relay, which has no timeout and survives a restart. */
export const submitPlanLoopTool: Tool = defineTool({
  name: 'submit_plan',
  description,
  input,
  repeatable: true,
  timeoutMs: Number.POSITIVE_INFINITY,
  execute: async (plan, context) => {
    const planId = `plan:${context.toolCallId}`;
    const result = await submitPlan(plan, async submitted =>
      responseOf(await context.ask({ relayKind: 'plan', planId, ...submitted })),
    );
    return { context: result.content, result };
  },
});

/** Submits and returns the result; `submit` returns undefined when nobody can decide. */
async function submitPlan(
  { title, plan }: Plan,
  submit: (submitted: Submitted) => Promise<PlanResponse | undefined> | undefined,
): Promise<BuiltinResult> {
  const submitted = { title: title || 'Implementation Plan', plan };
  try {
    const response = await submit(submitted);
    if (response === undefined)
      return { content: `[Plan submitted for review]\n\nTitle: ${submitted.title}\n\n${plan}`, isError: false };
    return { content: decisionOf(response), isError: false };
  } catch (error) {
    return { content: `Failed to submit plan: ${errorText(error)}`, isError: true };
  }
}

function decisionOf({ action, feedback }: PlanResponse): string {
  const words = feedback ? `\n\nUser feedback: ${feedback}` : '';
  if (action === 'approved') return `Plan approved. Carry it out now, as it was approved.${words}`;
  return `Plan was not approved.${words}\n\nRevise it and submit it again with submit_plan.`;
}

function responseOf(answer: RelayAnswer | undefined): PlanResponse | undefined {
  if (answer === undefined) return undefined;
  if (answer.outcome === 'expired') throw new Error('Nobody answered in time.');
  if (answer.outcome === 'cancelled') throw new Error('Aborted');
  const action = answer.outcome === 'approve' ? 'approved' : 'rejected';
  return { action, ...defined({ feedback: answer.feedback }) };
}

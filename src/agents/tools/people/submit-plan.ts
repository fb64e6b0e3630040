import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { errorText } from '../../../base/error-text.ts';
import type { RelayAnswer } from '../../contract/host.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool, ToolCall } from '../../contract/agent.ts';
import type { BuiltinResult } from './ask-user.ts';
import { conversationCategory } from '../../permissions/tool-request.ts';

export const submitPlanInput = z.object({
  title: z.string().optional().describe('a short title'),
  plan: z.string().min(1).describe('the whole plan as markdown: what is to be done, in which steps, how it is checked'),
});

export type Plan = z.infer<typeof submitPlanInput>;
/** The decision of a user on a plan. */
export interface PlanDecision {
  readonly action: 'approved' | 'rejected';
  readonly feedback?: string;
}

export interface SubmittedPlan {
  readonly title: string;
  readonly plan: string;
}

export const submitPlanDescription =
  'Submits a finished plan to the user and waits for the decision. Use it when you have explored enough and know the ' +
  'steps. After approval you are in the default mode and carry the plan out.';

/**
 * Creates `submit_plan` for the loop: it asks through a relay, which has no timeout and survives a restart. `onApproved`
 * is called before the model reads the approval.
 */
export function submitPlanLoopTool(onApproved?: (context: ToolCall) => Promise<void>): Tool {
  return defineTool({
    name: 'submit_plan',
    description: submitPlanDescription,
    input: submitPlanInput,
    category: conversationCategory,
    repeatable: true,
    timeoutMs: Number.POSITIVE_INFINITY,
    execute: async (plan, context) => {
      const planId = `plan:${context.toolCallId}`;
      const result = await submitPlan(plan, async submitted => {
        const decision = toDecision(await context.ask({ relayKind: 'plan', planId, ...submitted }));
        if (decision?.action === 'approved') await onApproved?.(context);
        return decision;
      });
      return { context: result.content, result };
    },
  });
}

/** Submits the plan and returns the result; `submit` returns undefined when no user can decide. */
export async function submitPlan(
  { title, plan }: Plan,
  submit: (submitted: SubmittedPlan) => Promise<PlanDecision | undefined> | undefined,
): Promise<BuiltinResult> {
  const submitted = { title: title || 'Implementation Plan', plan };
  try {
    const response = await submit(submitted);
    if (response === undefined)
      return { content: `[Plan submitted for review]\n\nTitle: ${submitted.title}\n\n${plan}`, isError: false };
    return { content: wordsFor(response), isError: false };
  } catch (error) {
    return { content: `Failed to submit plan: ${errorText(error)}`, isError: true };
  }
}

function wordsFor({ action, feedback }: PlanDecision): string {
  const words = feedback ? `\n\nUser feedback: ${feedback}` : '';
  if (action === 'approved') return `Plan approved. Carry it out now, as it was approved.${words}`;
  return `Plan was not approved.${words}\n\nRevise it and submit it again with submit_plan.`;
}

function toDecision(answer: RelayAnswer | undefined): PlanDecision | undefined {
  if (answer === undefined) return undefined;
  if (answer.outcome === 'expired') throw new Error('Nobody answered in time.');
  if (answer.outcome === 'cancelled') throw new Error('Aborted');
  const action = answer.outcome === 'approve' ? 'approved' : 'rejected';
  return { action, ...defined({ feedback: answer.feedback }) };
}

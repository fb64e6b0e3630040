import type { BuiltinResult } from '../../../agents/tools/people/ask-user.ts';
import {
  type Plan,
  submitPlan,
  submitPlanDescription,
  submitPlanInput,
} from '../../../agents/tools/people/submit-plan.ts';
import { untilAnswered } from './answer.ts';
import type { HarnessTool } from './harness-tool.ts';
import { harnessContextOf, type PlanResponse } from './request-context.ts';

/** `submit_plan` as a standalone tool: asks through the harness of its request context. */
export const submitPlanTool: HarnessTool<Plan, BuiltinResult> & { readonly id: 'submit_plan' } = {
  id: 'submit_plan',
  description: submitPlanDescription,
  inputSchema: submitPlanInput,
  category: 'conversation',
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

/**
 * The runtime: sends requests to agents, streams their work as `flow` wire events, and accepts the decisions of people.
 * @module
 */
export type {
  ApprovalContext,
  ApprovalFloor,
  ApprovalPredicate,
  ApprovalRequest,
  ApprovalsOptions,
} from './approval-policy.ts';
export type { Clock } from '../agents/clock.ts';
export type { PendingApproval } from './approvals.ts';
export { type Plan, plansFold, type PlansState } from './plans/plan-fold.ts';
export { type ApprovedPlan, planTool, type PlanToolOptions } from './plans/plan-tool.ts';
export type { ApprovalAnswer, ApprovalOutcomeName } from './approvals.ts';
export { createRuntime, type FlowStream, type Runtime } from './runtime.ts';
export type { QueryOptions, SpecialistOptions, FlowWatchOptions } from './runtime-options.ts';
export { RuntimeContext } from './governed-agent.ts';
export type { RuntimeOptions } from './runtime-options.ts';

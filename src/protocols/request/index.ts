/**
 * One request as a stream of facts in a fixed order: what the encoders of conversations are tables over.
 * @module
 */
export type { CostSummary, Currency } from './cost-summary.ts';
export type { RelayDecision } from './decision.ts';
export {
  type AgentOutcome,
  type Fact,
  type FactHandlers,
  type FactOf,
  type FileData,
  handleFact,
  type PlanChange,
  type PlanStatus,
  type RequestOutcome,
} from './fact.ts';
export type { FinishReason } from './finish-reason.ts';
export type { OpenCall, OpenRelay, OpenRun } from './open.ts';
export type { Progress } from './progress.ts';
export { RequestFold } from './request-fold.ts';
export { type RequestOptions } from './request-fields.ts';
export type { RequestStanding } from './standing.ts';
export type { AgentCost, Latency, PriceOf, RequestTotals, RequestTokenUsage, ToolTiming } from './totals.ts';

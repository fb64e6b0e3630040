/**
 * The `flow` wire protocol: its events, the encoder, and its ordering guarantees.
 * @module
 */
export { flowEncoder, type FlowOptions } from './flow-encoder.ts';
export type { ApprovalOutcome, FlowEvent } from './flow-event.ts';
export {
  checkFlowOrder,
  FlowOrderChecker,
  type FlowOrderRule,
  flowOrderRules,
  type FlowOrderViolation,
} from './flow-order.ts';

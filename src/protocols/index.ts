/**
 * What goes over the wire: encoders of the log, and the bodies of the HTTP API.
 * @module
 */
export {
  type AgentInfo,
  agentInfo,
  type BranchBody,
  branchBody,
  type ChatBody,
  chatBody,
  type FileInfo,
  fileInfo,
  type MessageBody,
  type MessageReceipt,
  messageBody,
  messageReceipt,
  type NewThreadBody,
  newThreadBody,
  type Problem,
  problem,
  type RawLineInfo,
  rawLineInfo,
  type RelayBody,
  type RelayInfo,
  relayInfo,
  type RenameBody,
  renameBody,
  type RetryBody,
  type RunInfo,
  runInfo,
  type SelectionBody,
  relayBody,
  retryBody,
  selectionBody,
  type ThreadInfo,
  threadInfo,
  type UsageInfo,
  usageInfo,
} from './http-api.ts';
export { encodeSse, encodeSseComment, type SseFrame } from './sse.ts';
export { type ActivityOptions, activityEncoder } from './activity-encoder.ts';
export {
  type AiSdkChunk,
  aiSdkEncoder,
  aiSdkFraming,
  type AiSdkOptions,
  type AiSdkVersion,
  type SteeringPart,
  Waiting,
} from './ai-sdk/index.ts';
export { encodeAll, type Encoder } from './encoder.ts';
export { type Framing, ndjsonFraming, sseFraming } from './framing.ts';
export {
  type ApprovalOutcome,
  checkFlowOrder,
  flowEncoder,
  type FlowEvent,
  type FlowOptions,
  FlowOrderChecker,
  type FlowOrderRule,
  flowOrderRules,
  type FlowOrderViolation,
} from './flow/index.ts';
export type { Protocol, ProtocolOptions } from './protocol.ts';
export { protocolRegistry, type ProtocolRegistry, protocols } from './registry.ts';
export {
  type AgentCost,
  type AgentOutcome,
  type CostSummary,
  type Currency,
  type RelayDecision,
  type Fact,
  type FactHandlers,
  type FactOf,
  type FileData,
  type FinishReason,
  handleFact,
  type Latency,
  type OpenCall,
  type OpenRelay,
  type OpenRun,
  type PlanChange,
  type PlanStatus,
  type PriceOf,
  type Progress,
  RequestFold,
  type RequestOptions,
  type RequestOutcome,
  type RequestTotals,
  type RequestTokenUsage,
  type ToolTiming,
} from './request/index.ts';

/**
 * The wire formats: encoders of the log, and the bodies of the HTTP API.
 * @module
 */
export {
  type BranchBody,
  branchBody,
  type FileInfo,
  fileInfo,
  type MessageBody,
  type MessageReceipt,
  messageBody,
  messageReceipt,
  type NewThreadBody,
  type QueuedBody,
  queuedBody,
  type QueuedMessage,
  queuedMessage,
  newThreadBody,
  type Problem,
  problem,
  type RawLineInfo,
  rawLineInfo,
  type RelayBody,
  type DecisionInfo,
  decisionInfo,
  type RelayInfo,
  relayInfo,
  type ThreadChangeBody,
  threadChangeBody,
  type ThreadNews,
  threadNews,
  type RetryBody,
  type RunInfo,
  runInfo,
  type SelectionBody,
  relayBody,
  retryBody,
  selectionBody,
  type SearchInfo,
  searchInfo,
  type ThreadInfo,
  threadInfo,
  type UsageInfo,
  usageInfo,
  type UsageTotalInfo,
  eventPageInfo,
  usageTotalInfo,
  windowInfo,
} from './http-api.ts';
export { type ChatBody, chatBody, chatMessages } from './http-chat.ts';
export {
  type AgentInfo,
  agentInfo,
  type MentionInfo,
  mentionInfo,
  type SetupInfo,
  setupInfo,
} from './http-agents.ts';
export {
  type BaseInfo,
  baseInfo,
  type ComparisonBody,
  comparisonBody,
  type ComparisonInfo,
  comparisonInfo,
  type FolderList,
  folderList,
  type KeptInfo,
  keptInfo,
  type PatchInfo,
  patchInfo,
  projectBody,
  type ProjectInfo,
  projectInfo,
  type RewindBody,
  rewindBody,
  type RewindInfo,
  rewindInfo,
  type TrustBody,
  trustBody,
  type WorktreeInfo,
  worktreeInfo,
} from './http-folders.ts';
export {
  type SessionImportBody,
  sessionImportBody,
  type SessionImportInfo,
  sessionImportInfo,
  type SessionInfo,
  sessionInfo,
} from './http-sessions.ts';
export { agUiInfo, type AgUiRunBody, agUiRunBody, type AgUiToolMessage, type AgUiUserMessage } from './http-ag-ui.ts';
export {
  type GrantInfo,
  grantInfo,
  type ModelProviderBody,
  modelProviderBody,
  type ModelProviderInfo,
  modelProviderInfo,
  type ModelProviderTest,
  modelProviderTest,
  type RulesInfo,
  rulesInfo,
  type SavedRuleBody,
  savedRuleBody,
} from './http-settings.ts';
export { encodeSse, encodeSseComment, type Framing, ndjsonFraming, type SseFrame, sseFraming } from './framing.ts';
export { type ActivityOptions, activityEncoder } from './activity-encoder.ts';
export { type AiSdkChunk, aiSdkFraming, type AiSdkVersion, aiSdkVersions, type SteeringPart } from './ai-sdk/chunk.ts';
export { aiSdkEncoder, type AiSdkOptions } from './ai-sdk/ai-sdk-encoder.ts';
export { type UiMessage, uiMessages, type UiMessagesOptions, type UiPart } from './ai-sdk/ui-messages.ts';
export { Waiting } from './ai-sdk/waiting.ts';
export {
  type AgUiContentPart,
  type AgUiEvent,
  agUiFraming,
  type AgUiInterrupt,
  type AgUiMessage,
  type AgUiMetadata,
  type AgUiOutcome,
  type AgUiSource,
  type AgUiState,
  type AgUiToolCall,
  type AgUiVersion,
  agUiVersions,
} from './ag-ui/ag-ui-event.ts';
export { type AgUiEncoder, agUiEncoder, type AgUiOptions } from './ag-ui/ag-ui-encoder.ts';
export { agUiMessages } from './ag-ui/ag-ui-messages.ts';
export { encodeAll, type Encoder } from './encoder.ts';
export type { ApprovalOutcome, FlowEvent } from './flow/flow-event.ts';
export {
  checkFlowOrder,
  FlowOrderChecker,
  type FlowOrderRule,
  flowOrderRules,
  type FlowOrderViolation,
} from './flow/flow-order.ts';
export { flowEncoder, type FlowOptions } from './flow/flow-encoder.ts';
export type { Protocol, ProtocolOptions } from './protocol.ts';
export { protocolRegistry, type ProtocolRegistry, protocols } from './registry.ts';
export type {
  AgentCost,
  CostSummary,
  Currency,
  Latency,
  PriceOf,
  RequestTokenUsage,
  RequestTotals,
  ToolTiming,
} from './request/totals.ts';
export {
  type AgentOutcome,
  type Fact,
  type FactHandlers,
  type FactOf,
  type FileData,
  type FinishReason,
  handleFact,
  type PlanChange,
  type PlanStatus,
  type RequestOutcome,
} from './request/fact.ts';
export type { RelayDecision } from './request/decision.ts';
export type { OpenCall, OpenRelay, OpenRun } from './request/open.ts';
export type { Progress } from './request/shown-call.ts';
export { RequestFold, type RequestOptions } from './request/request-fold.ts';
export type { RequestStanding } from './request/standing.ts';

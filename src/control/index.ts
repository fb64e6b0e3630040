/**
 * The control layer: the supervisor that invokes agents, and the Harness on top of it.
 * @module
 */
export { type Clock, systemClock } from '../agents/clock.ts';
export {
  ConversationReader,
  type ConversationState,
  type ConversationStatus,
} from './conversations/conversation-reader.ts';
export { ConversationSettings } from './conversations/conversation-settings.ts';
export { Conversations } from './conversations/conversations.ts';
export type { ConversationsOptions, Delivered } from './conversations/message-delivery.ts';
export type { QueueChange } from './conversations/queue-changes.ts';
export type { SendReceipt, OfferedAgents, SentMessage } from './conversations/sent-message.ts';
export type { EndNote, FinishedRun, RunControl, RunHandle, StartOptions } from './supervision/run-control.ts';
export type { RunOutcome } from './supervision/run-counts.ts';
export type { ContextOf, ContextRequest } from './supervision/run-input.ts';
export { continueRun } from './supervision/supervisor.ts';
export type { OnFinish } from './supervision/run-observer.ts';
export { Supervisor } from './supervision/supervisor.ts';
export type { AgentFinder, SupervisorOptions } from './supervision/supervisor-options.ts';
export type { ThreadMemory } from './threads/thread-memory.ts';
export {
  type RewindPreview,
  type RewindResult,
  type RewindScope,
  ThreadRewind,
  type UndoOptions,
} from './rewind/rewind-thread.ts';
export { Webhook, type WebhookOptions } from './webhooks/webhook.ts';
export { Worktrees, type WorktreesOptions } from './worktrees/worktrees.ts';
export type { PublicSchema } from './harness/arguments/standard-schema.ts';
export type { HarnessDisplayStateSubscriptionOptions } from './harness/display/display-scheduler.ts';
export {
  type ActiveSubagentState,
  type ActiveToolState,
  defaultDisplayState,
  type HarnessDisplayState,
  type HarnessSubagentHistoryEntry,
} from './harness/display/display-state.ts';
export { defaultOMProgressState, type OMProgressState, type OMStatus } from './harness/display/om-display.ts';
export { reduceDisplayState } from './harness/display/reduce-display-state.ts';
export type { HarnessDisplayStateListener, HarnessEventListener } from './harness/event-hub.ts';
export { Harness, type SendMessage } from './harness/harness.ts';
export type { HarnessState } from './harness/harness-base.ts';
export type {
  HarnessConfig,
  HarnessMode,
  HarnessOMConfig,
  HarnessStateSchema,
  HarnessSubagent,
  ThreadLock,
} from './harness/harness-config.ts';
export type { Dynamic } from './harness/dynamic.ts';
export type { HarnessEvent } from './harness/harness-event.ts';
export type { HarnessQuestionOption, HarnessQuestionSelectionMode } from './harness/pending-requests.ts';
export type { HarnessMessage, HarnessMessageContent } from './harness/harness-message.ts';
export type { HeartbeatHandler } from './harness/heartbeats.ts';
export { type MastraAgent, mastraAgent, type MastraAgentOptions } from './harness/tools/mastra-agent.ts';
export { type MastraTool, type MastraTools, mastraTools } from './harness/tools/mastra-agent.ts';
export type { OMBufferedStatus } from './harness/memory/om-event.ts';
export type { ObservationalMemoryRecord } from './harness/memory/harness-memory.ts';
export type { HarnessFile } from './harness/messages/message-content.ts';
export { getMessageDelta, type MessageDelta } from './harness/messages/message-view.ts';
export type { PermissionPolicy, PermissionRules, ToolCategory } from './harness/permissions/permissions.ts';
export type { ToolApproval } from './harness/permissions/relays.ts';
export type { HarnessSettings } from './harness/settings/harness-settings.ts';
export type {
  AvailableModel,
  CustomAvailableModel,
  CustomModelCatalogProvider,
  ModelAuthChecker,
  ModelAuthStatus,
  ModelUseCountProvider,
  ModelUseCountTracker,
} from './harness/settings/models.ts';
export { assignTaskIds, type TaskItemInput } from '../agents/tasks/assign-task-ids.ts';
export type { TaskCheckResult, TaskCheckSummary } from '../agents/tasks/task-changes.ts';
export type { TaskItem, TaskItemSnapshot } from '../agents/tasks/assign-task-ids.ts';
export type { HarnessSession, HarnessThread } from './harness/threads/harness-thread.ts';
export type { TokenUsage } from './harness/token-usage.ts';
export { askUserTool } from './harness/tools/standalone-tools.ts';
export type { BuiltinToolId } from './harness/tools/builtin-tools.ts';
export type { HarnessTool, ToolsInput } from './harness/tools/harness-tool.ts';
export {
  type HarnessQuestionAnswer,
  type HarnessRequestContext,
  type HarnessToolContext,
  type PlanResponse,
  RequestContext,
} from './harness/tools/request-context.ts';
export { parseSubagentMeta } from './harness/tools/subagent-tool.ts';
export type { StopCondition } from './harness/subagents/stopped-agent.ts';
export { submitPlanTool } from './harness/tools/standalone-tools.ts';
export { taskCheckTool, taskCompleteTool, taskUpdateTool, taskWriteTool } from './harness/tools/standalone-tools.ts';
export type { Signal } from './harness/turns/signal.ts';
export { Workspace } from './harness/workspace/workspace.ts';
export type { WorkspaceConfig } from './harness/workspace/workspace-config.ts';
export type { WorkspaceFactory } from './harness/workspace/workspace-host.ts';
export { mastraToolNames } from './harness/workspace/workspace-config.ts';
export { deriveTraceId as traceIdOf } from '../events/trace-context.ts';

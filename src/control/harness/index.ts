/**
 * The Harness class, and the types and tools that appear in its signatures.
 * @module
 */
export type { PublicSchema } from './arguments/standard-schema.ts';
export type { HarnessDisplayStateSubscriptionOptions } from './display/display-scheduler.ts';
export {
  type ActiveSubagentState,
  type ActiveToolState,
  defaultDisplayState,
  type HarnessDisplayState,
  type HarnessSubagentHistoryEntry,
} from './display/display-state.ts';
export { defaultOMProgressState, type OMProgressState, type OMStatus } from './display/om-progress.ts';
export { reduceDisplayState } from './display/reduce-display-state.ts';
export type { HarnessDisplayStateListener, HarnessEventListener } from './event-hub.ts';
export { Harness, type SendMessage } from './harness.ts';
export type { HarnessState } from './harness-base.ts';
export type {
  HarnessConfig,
  HarnessMode,
  HarnessOMConfig,
  HarnessStateSchema,
  HarnessSubagent,
  ThreadLock,
} from './harness-config.ts';
export type { Dynamic } from './dynamic.ts';
export type { HarnessEvent } from './harness-event.ts';
export type { HarnessQuestionOption, HarnessQuestionSelectionMode } from './pending-requests.ts';
export type { HarnessMessage, HarnessMessageContent } from './harness-message.ts';
export type { HeartbeatHandler } from './heartbeats.ts';
export { type MastraAgent, mastraAgent, type MastraAgentOptions } from './mastra/mastra-agent.ts';
export { type MastraTool, type MastraTools, mastraTools } from './mastra/mastra-tools.ts';
export type { OMBufferedStatus } from './memory/om-event.ts';
export type { ObservationalMemoryRecord } from './memory/om-record.ts';
export type { HarnessFile } from './messages/message-content.ts';
export { deltaOf, type MessageDelta } from './messages/message-view.ts';
export type { PermissionPolicy, PermissionRules, ToolCategory } from './permissions/permissions.ts';
export type { ToolApproval } from './permissions/relays.ts';
export type { HarnessSettings } from './settings/harness-settings.ts';
export type {
  AvailableModel,
  CustomAvailableModel,
  CustomModelCatalogProvider,
  ModelAuthChecker,
  ModelAuthStatus,
  ModelUseCountProvider,
  ModelUseCountTracker,
} from './settings/models.ts';
export { assignTaskIds, type TaskItemInput } from '../../agents/tasks/assign-task-ids.ts';
export type { TaskCheckResult, TaskCheckSummary } from '../../agents/tasks/task-changes.ts';
export type { TaskItem, TaskItemSnapshot } from '../../agents/tasks/task-item.ts';
export type { HarnessSession, HarnessThread } from './threads/harness-thread.ts';
export type { TokenUsage } from './token-usage.ts';
export { askUserTool } from './tools/ask-user.ts';
export type { BuiltinToolId } from './tools/builtin-tools.ts';
export type { HarnessTool, ToolsInput } from './tools/harness-tool.ts';
export {
  type HarnessQuestionAnswer,
  type HarnessRequestContext,
  type HarnessToolContext,
  type PlanResponse,
  RequestContext,
} from './tools/request-context.ts';
export { parseSubagentMeta } from './tools/subagent-meta.ts';
export type { StopCondition } from './tools/subagent-steps.ts';
export { submitPlanTool } from './tools/submit-plan.ts';
export { taskCheckTool, taskCompleteTool, taskUpdateTool, taskWriteTool } from './tools/task-tools.ts';
export type { Signal } from './turns/signal.ts';
export { Workspace } from './workspace/workspace.ts';
export type { WorkspaceConfig } from './workspace/workspace-config.ts';
export type { WorkspaceFactory } from './workspace/workspace-host.ts';
export { mastraToolNames } from './workspace/workspace-tools.ts';
export { deriveTraceId as traceIdOf } from '../../events/trace-context.ts';

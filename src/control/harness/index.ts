/**
 * The Harness, and the parts of it that stand alone: its events, messages, display, state, permissions, tasks and tools.
 * @module
 */
export type { HarnessDisplayStateListener, HarnessEventListener } from './event-hub.ts';
export { askUserTool, type BuiltinResult } from './tools/ask-user.ts';
export { type BuiltinToolId, builtinTools } from './tools/builtin-tools.ts';
export { loopTools, type HarnessTool, type ToolsInput } from './tools/harness-tool.ts';
export { parseSubagentMeta, type SubagentMeta, withSubagentMeta } from './tools/subagent-meta.ts';
export type { StopCondition, SubagentStep } from './tools/subagent-steps.ts';
export { submitPlanTool } from './tools/submit-plan.ts';
export { taskCheckTool, taskCompleteTool, taskUpdateTool, taskWriteTool } from './tools/task-tools.ts';
export {
  DisplayScheduler,
  type DisplaySchedulerOptions,
  type HarnessDisplayStateSubscriptionOptions,
} from './display/display-scheduler.ts';
export {
  type ActiveSubagentState,
  type ActiveToolState,
  defaultDisplayState,
  type HarnessDisplayState,
  type HarnessSubagentHistoryEntry,
  type ModifiedFile,
  type SubagentNames,
  type ToolInputBuffer,
} from './display/display-state.ts';
export { defaultOMProgressState, type OMProgressState, type OMStatus } from './display/om-progress.ts';
export { reduceDisplayState } from './display/reduce-display-state.ts';
export { Harness, type SavedReminder, type SendMessage } from './harness.ts';
export type { HarnessState } from './harness-base.ts';
export {
  defaultMode,
  type Dynamic,
  type HarnessConfig,
  type HarnessMode,
  type HarnessOMConfig,
  type HarnessStateSchema,
  type HarnessSubagent,
  type ThreadLock,
  type UnavailableOptions,
} from './harness-config.ts';
export {
  type AgentEndReason,
  type DisplayEvent,
  type DisplayOnlyEvent,
  type HarnessEvent,
  isHarnessEvent,
  type NotificationEvent,
  type ProjectedEvent,
  type HarnessQuestionOption,
  type HarnessQuestionSelectionMode,
  type SubagentEvent,
  type WorkspaceStatus,
} from './harness-event.ts';
export type { HarnessMessage, HarnessMessageContent, HarnessStopReason, SystemReminder } from './harness-message.ts';
export type { HarnessSession, HarnessThread } from './threads/harness-thread.ts';
export { type HeartbeatHandler, Heartbeats, type HeartbeatsOptions } from './heartbeats.ts';
export { type HarnessFile, userContent } from './messages/message-content.ts';
export { deltaOf, type MessageDelta } from './messages/message-view.ts';
export { parseSystemReminder, systemReminderText } from './messages/system-reminder.ts';
export { messagesFold, threadMessages } from './messages/thread-messages.ts';
export {
  type AvailableModel,
  type CustomAvailableModel,
  type CustomModelCatalogProvider,
  listModels,
  type ModelAuthChecker,
  type ModelAuthStatus,
  modelAuthStatus,
  modelName,
  modelOfMode,
  type ModelSources,
  type ModelSwitch,
  type ModelUseCountProvider,
  type ModelUseCountTracker,
  modeModelKey,
  type SessionModels,
  subagentModelId,
  type SwitchedModel,
  switchModel,
} from './settings/models.ts';
export type { ObservationalMemoryRecord } from './memory/om-record.ts';
export type { OMBuffered, OMBufferedStatus, OMEvent, OMOperation } from './memory/om-event.ts';
export {
  type PermissionRules,
  noPermissionRules,
  noSessionGrants,
  permissionDecider,
  type PermissionPolicy,
  type PermissionSituation,
  resolvePermission,
  type SessionGrants,
  type ToolCategory,
  visibleTools,
  withCategoryPolicy,
  withGrant,
  withToolPolicy,
} from './permissions/permissions.ts';
export { emptyProjection, type HarnessProjection } from './projection/projection-state.ts';
export { foldHarness, type Projected, projectHarness } from './projection/project-harness.ts';
export { type RelayQueues, type RelaySlot, pendingRelayEvents, waitingRelay } from './projection/relay-queues.ts';
export { beginSubagent, type SubagentRun, subagentEvents } from './projection/subagent-run.ts';
export type { RegisteredPlan, RegisteredQuestion, ToolApproval } from './permissions/relays.ts';
export {
  harnessContextOf,
  type HarnessRequestContext,
  type PlanResponse,
  type HarnessQuestionAnswer,
  RequestContext,
  type HarnessToolContext,
} from './tools/request-context.ts';
export type { AcceptedSignal, Signal } from './turns/signal.ts';
export type { PublicSchema } from './arguments/standard-schema.ts';
export { type HarnessSettings, isSetting } from './settings/harness-settings.ts';
export { StateStore, type StateStoreOptions, type StateUpdate } from './settings/state-store.ts';
export { assignTaskIds, type TaskItemInput } from './tasks/assign-task-ids.ts';
export { TaskBoard } from './tasks/task-board.ts';
export type { TaskChange, TaskCheckResult, TaskResult, TaskCheckSummary } from './tasks/task-changes.ts';
export { type RunTrace, type Traced, traceIdOf, type TracingContext, type TracingOptions } from './turns/tracing.ts';
export type { CloneOptions, ListThreadsOptions } from './threads/threads.ts';
export type { TaskItem, TaskItemSnapshot } from './tasks/task-item.ts';
export { tasksOf } from './tasks/task-item.ts';
export { addTokenUsage, emptyTokenUsage, type TokenUsage, tokenUsageOf } from './token-usage.ts';

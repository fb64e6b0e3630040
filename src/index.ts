/**
 * The main entry point: the names that most users need. Each layer exports the rest from its own path, such as
 * `singletree/log`.
 * @module
 */
export { Memory } from './agents/memory/memory.ts';
export type { MemoryOptions, MemoryScope } from './agents/contract/memory.ts';
export {
  type ActiveSubagentState,
  type ActiveToolState,
  defaultDisplayState,
  type HarnessDisplayState,
  type HarnessSubagentHistoryEntry,
} from './control/harness/display/display-state.ts';
export { askUserTool } from './control/harness/tools/standalone-tools.ts';
export { assignTaskIds, type TaskItemInput } from './agents/tasks/assign-task-ids.ts';
export type {
  AvailableModel,
  CustomAvailableModel,
  CustomModelCatalogProvider,
  ModelAuthChecker,
  ModelAuthStatus,
  ModelUseCountProvider,
  ModelUseCountTracker,
} from './control/harness/settings/models.ts';
export type { BuiltinToolId } from './control/harness/tools/builtin-tools.ts';
export { getMessageDelta } from './control/harness/messages/message-view.ts';
export { defaultOMProgressState, type OMProgressState, type OMStatus } from './control/harness/display/om-display.ts';
export { Harness } from './control/harness/harness.ts';
export type {
  HarnessConfig,
  HarnessMode,
  HarnessOMConfig,
  HarnessStateSchema,
  HarnessSubagent,
  ThreadLock,
} from './control/harness/harness-config.ts';
export type { HarnessDisplayStateListener, HarnessEventListener } from './control/harness/event-hub.ts';
export type { HarnessDisplayStateSubscriptionOptions } from './control/harness/display/display-scheduler.ts';
export type { HarnessEvent } from './control/harness/harness-event.ts';
export type { HarnessMessage, HarnessMessageContent } from './control/harness/harness-message.ts';
export {
  type HarnessQuestionAnswer,
  type HarnessRequestContext,
  type PlanResponse,
  RequestContext,
} from './control/harness/tools/request-context.ts';
export type { HarnessQuestionOption, HarnessQuestionSelectionMode } from './control/harness/pending-requests.ts';
export type { HarnessSession, HarnessThread } from './control/harness/threads/harness-thread.ts';
export type { HarnessTool, ToolsInput } from './control/harness/tools/harness-tool.ts';
export type { HeartbeatHandler } from './control/harness/heartbeats.ts';
export type { ObservationalMemoryRecord } from './control/harness/memory/harness-memory.ts';
export type { OMBufferedStatus } from './control/harness/memory/om-event.ts';
export { parseSubagentMeta } from './control/harness/tools/subagent-tool.ts';
export type { PermissionPolicy, PermissionRules, ToolCategory } from './control/harness/permissions/permissions.ts';
export { reduceDisplayState } from './control/harness/display/reduce-display-state.ts';
export { submitPlanTool } from './control/harness/tools/standalone-tools.ts';
export type { TaskCheckResult, TaskCheckSummary } from './agents/tasks/task-changes.ts';
export {
  taskCheckTool,
  taskCompleteTool,
  taskUpdateTool,
  taskWriteTool,
} from './control/harness/tools/standalone-tools.ts';
export type { TaskItem, TaskItemSnapshot } from './agents/tasks/assign-task-ids.ts';
export type { TokenUsage } from './control/harness/token-usage.ts';
export type { AgentEvent, LoggedEvent } from './events/vocabulary.ts';
export { newId } from './events/ids.ts';
export { parseEvent } from './events/parse.ts';
export { SingletreeError } from './base/singletree-error.ts';
export { createGraph, type Graph, reduceEvent } from './graph/graph.ts';
export { getChildren, getNodesInRun, getText, getToolCalls, walkDFS } from './graph/queries.ts';
export type { Node } from './graph/node.ts';
export type { EventLog, Thread } from './log/event-log.ts';
export { LibSQLStore } from './log/sqlite/libsql-store.ts';
export { MemoryLog } from './log/memory-log.ts';
export { SqliteLog } from './log/sqlite/sqlite-log.ts';
export { ThreadWriter } from './log/thread-writer.ts';

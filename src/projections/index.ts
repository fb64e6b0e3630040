/**
 * Pure views of events: what a model is sent, where a run stands, what a person sees.
 * @module
 */
export type { AssistantPart, Message, ToolResultPart } from './message.ts';
export { type CallState, foldRun, type RelayState, type RunState } from './run-state.ts';
export { conversationFold, type Fold, foldAll } from './fold.ts';
export type { MessagesOptions } from './model-input/model-input.ts';
export { messagesFold, projectMessages } from './model-input/project-messages.ts';
export { projectReport, projectRequest, type SentRequest } from './model-input/project-request.ts';
export { possibleAnswers } from './possible-answers.ts';
export {
  hasExpired,
  RelayBook,
  relayBook,
  type RelayClosing,
  type RelayEntry,
  type RelayStatus,
} from './relay-book.ts';
export { type MessageQueue, messageQueue, type WaitingMessage } from './message-queue.ts';
export { projectRepl, type ReplEntry, replFold } from './project-repl.ts';
export { PagedList } from './reading/paged-list.ts';
export { projectThread, type ThreadOptions, threadFold } from './reading/project-thread.ts';
export type { ReadingSnapshot } from './reading/reading-snapshot.ts';
export { folderWords, type Notice, toNotice } from './reading/notice.ts';
export {
  type ContextUse,
  readingFrom,
  type ThreadReading,
  threadReading,
  type ThreadReadingState,
  type UsageTotal,
} from './reading/thread-reading.ts';
export { type RunStanding, runStatus, type RunStatusState } from './run-status.ts';
export { totals, type Totals, type TotalsState, type TotalsView } from './totals.ts';
export type {
  CallStatus,
  FactPart,
  ProsePart,
  RelayPart,
  ReplPart,
  RunPart,
  ToolPart,
  UserPart,
  ViewNode,
  ViewPart,
} from './reading/view-node.ts';
export {
  type Dag,
  type DagEdge,
  dagFold,
  type DagNode,
  type DagOptions,
  projectDAG,
} from './project-dag.ts';
export type { DagTier, GraphFace, GraphStatus } from './thread-graph/graph-item.ts';
export type { GraphDetail } from './thread-graph/message-items.ts';
export {
  type GraphEdge,
  type GraphGroup,
  type GraphNode,
  graphNodeSize,
  projectThreadGraph,
  type ThreadGraph,
} from './thread-graph/thread-graph.ts';
export { type IdleGap, timeScale, type TimeSpan, getTimeSpan } from './timeline/time-scale.ts';
export { Timeline } from './timeline/timeline.ts';
export type { StepKind, StepStatus, TimelineStep } from './timeline/timeline-step.ts';
export type { Activity, Operation } from './activity/activity.ts';
export { listOperations, type RecordedCall } from './activity/call-operations.ts';
export { changesOfDiff, type FileChange, type TextEdit } from './activity/diff-changes.ts';
export { listFileChanges } from './activity/file-changes.ts';
export { type ActivityState, createActivityState, type LineOf, projectActivity } from './activity/project-activity.ts';
export { toolTables } from './activity/tables/tool-tables.ts';
export type { CallContext, ToolInput, ToolRule, ToolTable } from './activity/tool-table.ts';

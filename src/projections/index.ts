/**
 * Pure views of events: what a model is sent, where a run stands, what a person sees.
 * @module
 */
export type { AssistantPart, Message, ToolResultPart } from './message.ts';
export { type CallState, foldRun, type RelayState, type RunState } from './run-state.ts';
export { threadView } from './thread-view.ts';
export { Transcript, type TranscriptOptions } from './transcript.ts';
export { conversationFold, type Fold, foldAll } from './fold.ts';
export { type MessagesOptions, messagesFold, projectMessages } from './project-messages.ts';
export { type PendingRelay, pendingRelays, type PendingRelaysState } from './pending-relays.ts';
export { projectRepl, type ReplEntry, replFold } from './project-repl.ts';
export { projectThread, type ThreadOptions, threadFold } from './project-thread.ts';
export { type RunStanding, runStatus, type RunStatusState } from './run-status.ts';
export { totals, type TotalsView } from './totals.ts';
export type { Totals, TotalsState } from './totals-tables.ts';
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
} from './view-node.ts';
export type { DagTier } from './dag-unit.ts';
export {
  type Dag,
  type DagEdge,
  dagFold,
  type DagGroup,
  type DagNode,
  type DagOptions,
  type DagState,
  projectDAG,
} from './project-dag.ts';
export { branchView } from './branch-view.ts';
export * from './activity/index.ts';

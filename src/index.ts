/**
 * The front door: the names most users need. Each layer has the rest under its own path, such as `singletree/log`.
 * @module
 */
export { Harness, type HarnessConfig, type HarnessEvent } from './control/index.ts';
export { type AgentEvent, type LoggedEvent, newId, parseEvent, SingletreeError } from './events/index.ts';
export {
  createGraph,
  type Graph,
  getChildren,
  getText,
  getToolCalls,
  type Node,
  reduceEvent,
  walkDFS,
} from './graph/index.ts';
export { type EventLog, MemoryLog, SqliteLog, type Thread, ThreadWriter } from './log/index.ts';

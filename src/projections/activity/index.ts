/**
 * The activity of a run: commands, reads, writes, searches, the same for every agent.
 * @module
 */
export type { Activity, Operation } from './activity.ts';
export { operationsOf, type RecordedCall } from './call-operations.ts';
export { changesOfDiff, type FileChange, type TextEdit } from './diff-changes.ts';
export { fileChangesOf } from './file-changes.ts';
export { type ActivityState, createActivityState, type LineOf, projectActivity } from './project-activity.ts';
export { toolTables } from './tables/index.ts';
export type { CallContext, ToolInput, ToolRule, ToolTable } from './tool-table.ts';

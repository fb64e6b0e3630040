import type { PendingToolApproval, PendingPlanApproval, PendingQuestion, PendingSuspension } from '../harness-event.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { type TaskItemSnapshot, taskSnapshot } from '../tasks/task-item.ts';
import { emptyTokenUsage, type TokenUsage } from '../token-usage.ts';
import { defaultOMProgressState, type OMProgressState } from './om-progress.ts';

/** A tool call of the turn that is shown. */
export interface ActiveToolState {
  readonly name: string;
  readonly args: unknown;
  readonly status: 'streaming_input' | 'running' | 'completed' | 'error';
  readonly partialResult?: string;
  readonly result?: unknown;
  readonly isError?: boolean;
  readonly shellOutput?: string;
}

/** The arguments of a call while the model writes them. */
export interface ToolInputBuffer {
  readonly text: string;
  readonly toolName: string;
}

/** What the types of subagents are called for people. */
export type SubagentNames = ReadonlyMap<string, string>;

/** A subagent of the turn that is shown. */
export interface ActiveSubagentState {
  readonly agentType: string;
  readonly displayName?: string;
  readonly task: string;
  readonly modelId?: string;
  readonly forked?: boolean;
  readonly toolCalls: { readonly name: string; readonly isError: boolean }[];
  readonly textDelta: string;
  readonly status: 'running' | 'completed' | 'error';
  readonly durationMs?: number;
  readonly result?: string;
}

/** A subagent that was shown, when it is over. */
export type HarnessSubagentHistoryEntry = Omit<ActiveSubagentState, 'status'>;

/** A file that tools changed in this thread. */
export interface ModifiedFile {
  readonly operations: string[];
  readonly firstModified: Date;
}

/**
 * All that a user interface shows of a harness. Every change makes a new one that shares the rest: one that was shown
 * never changes, and is not to be written to. A change of its tasks or its usage throws.
 */
export interface HarnessDisplayState {
  readonly isRunning: boolean;
  readonly currentMessage: HarnessMessage | null;
  readonly tokenUsage: TokenUsage;
  readonly activeTools: Map<string, ActiveToolState>;
  readonly toolInputBuffers: Map<string, ToolInputBuffer>;
  readonly pendingApproval: PendingToolApproval | null;
  readonly pendingSuspension: PendingSuspension | null;
  readonly pendingQuestion: PendingQuestion | null;
  readonly pendingPlanApproval: PendingPlanApproval | null;
  readonly activeSubagents: Map<string, ActiveSubagentState>;
  readonly omProgress: OMProgressState;
  readonly bufferingMessages: boolean;
  readonly bufferingObservations: boolean;
  readonly modifiedFiles: Map<string, ModifiedFile>;
  readonly tasks: TaskItemSnapshot[];
  readonly previousTasks: TaskItemSnapshot[];
}

/** What is shown before anything happened. */
export function defaultDisplayState(): HarnessDisplayState {
  return {
    isRunning: false,
    currentMessage: null,
    tokenUsage: emptyTokenUsage(),
    activeTools: new Map(),
    toolInputBuffers: new Map(),
    pendingApproval: null,
    pendingSuspension: null,
    pendingQuestion: null,
    pendingPlanApproval: null,
    activeSubagents: new Map(),
    omProgress: defaultOMProgressState(),
    bufferingMessages: false,
    bufferingObservations: false,
    modifiedFiles: new Map(),
    tasks: taskSnapshot([]),
    previousTasks: taskSnapshot([]),
  };
}

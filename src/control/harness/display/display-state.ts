import type {
  PendingToolApproval,
  PendingPlanApproval,
  PendingQuestion,
  PendingSuspension,
} from '../pending-requests.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { type TaskItemSnapshot, taskSnapshot } from '../../../agents/tasks/assign-task-ids.ts';
import { emptyTokenUsage, type TokenUsage } from '../token-usage.ts';
import { defaultOMProgressState, type OMProgressState } from './om-display.ts';

/** A tool call of the current turn. */
export interface ActiveToolState {
  readonly name: string;
  readonly args: unknown;
  readonly status: 'streaming_input' | 'running' | 'completed' | 'error';
  readonly partialResult?: string;
  readonly result?: unknown;
  readonly isError?: boolean;
  readonly shellOutput?: string;
}

/** The arguments of a call while the model streams them. */
export interface ToolInputBuffer {
  readonly text: string;
  readonly toolName: string;
}

/** The display name of each subagent type. */
export type SubagentNames = ReadonlyMap<string, string>;

/** A subagent of the current turn. */
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

/** A finished subagent. */
export type HarnessSubagentHistoryEntry = Omit<ActiveSubagentState, 'status'>;

/** A file that tools changed in this thread. */
export interface ModifiedFile {
  readonly operations: string[];
  readonly firstModified: Date;
}

/**
 * Everything that a user interface shows of a harness. It is immutable: each change creates a new state that shares the
 * unchanged parts. Writing to it or to one of its maps throws.
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

/** Returns the display state of a new thread. */
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

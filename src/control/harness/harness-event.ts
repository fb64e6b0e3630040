import type { HarnessDisplayState } from './display/display-state.ts';
import type { DisplayView } from './display/display-view.ts';
import type { HarnessMessage } from './harness-message.ts';
import type { HarnessThread } from './threads/harness-thread.ts';
import type { OMEvent } from './memory/om-event.ts';
import type { TaskItemSnapshot } from '../../agents/tasks/assign-task-ids.ts';
import type { TokenUsage } from './token-usage.ts';
import type {
  ToolInput,
  PendingToolApproval,
  PendingSuspension,
  PendingQuestion,
  PendingPlanApproval,
} from './pending-requests.ts';

export type AgentEndReason = 'complete' | 'aborted' | 'error' | 'suspended';
export type WorkspaceStatus = 'pending' | 'initializing' | 'ready' | 'error' | 'destroying' | 'destroyed';

type Typed<Type extends string, Payload = unknown> = Type extends string ? { readonly type: Type } & Payload : never;

/** Events that are projected from the thread's log. */
export type ProjectedEvent =
  | Typed<'mode_changed', { readonly modeId: string; readonly previousModeId: string }>
  | Typed<
      'model_changed',
      { readonly modelId: string; readonly scope?: 'global' | 'thread' | 'mode'; readonly modeId?: string }
    >
  | Typed<'agent_start'>
  | Typed<'agent_end', { readonly reason?: AgentEndReason }>
  | Typed<'message_start' | 'message_update' | 'message_end', { readonly message: HarnessMessage }>
  | Typed<'tool_start', ToolInput>
  | Typed<'tool_approval_required', PendingToolApproval>
  | Typed<'tool_suspended', PendingSuspension>
  | Typed<'tool_update', { readonly toolCallId: string; readonly partialResult: unknown }>
  | Typed<
      'tool_end',
      {
        readonly toolCallId: string;
        readonly result: unknown;
        readonly isError: boolean;
        readonly providerMetadata?: Record<string, unknown>;
      }
    >
  | Typed<'tool_input_start', { readonly toolCallId: string; readonly toolName: string }>
  | Typed<
      'tool_input_delta',
      { readonly toolCallId: string; readonly argsTextDelta: string; readonly toolName?: string }
    >
  | Typed<'tool_input_end', { readonly toolCallId: string }>
  | Typed<
      'shell_output',
      { readonly toolCallId: string; readonly output: string; readonly stream: 'stdout' | 'stderr' }
    >
  | Typed<'usage_update', { readonly usage: TokenUsage }>
  | Typed<'info', { readonly message: string }>
  | Typed<
      'error',
      {
        readonly error: Error;
        readonly errorType?: string;
        readonly retryable?: boolean;
        readonly retryDelay?: number;
      }
    >
  | Typed<'sandbox_access_request', { readonly questionId: string; readonly path: string; readonly reason: string }>
  | Typed<'ask_question', PendingQuestion>
  | Typed<'plan_approval_required', PendingPlanApproval & { readonly title: string }>
  | Typed<'plan_approved'>
  | SubagentEvent
  | Typed<'task_updated', { readonly tasks: TaskItemSnapshot[] }>;

type OfSubagent<Type extends string, Payload> = Typed<
  Type,
  { readonly toolCallId: string; readonly agentType: string } & Payload
>;

/** Events of a subagent, under the call that started it. */
export type SubagentEvent =
  | OfSubagent<'subagent_start', { readonly task: string; readonly modelId: string; readonly forked?: boolean }>
  | OfSubagent<'subagent_text_delta', { readonly textDelta: string }>
  | OfSubagent<'subagent_tool_start', { readonly subToolName: string; readonly subToolArgs: unknown }>
  | OfSubagent<
      'subagent_tool_end',
      { readonly subToolName: string; readonly subToolResult: unknown; readonly isError: boolean }
    >
  | OfSubagent<'subagent_end', { readonly result: string; readonly isError: boolean; readonly durationMs: number }>;

/** Events that are not in the log: the harness emits them once. */
export type NotificationEvent =
  | Typed<'thread_changed', { readonly threadId: string; readonly previousThreadId: string | null }>
  | Typed<'thread_created', { readonly thread: HarnessThread }>
  | Typed<'thread_deleted', { readonly threadId: string }>
  | Typed<'thread_reading', { readonly threadId: string; readonly seq: number; readonly lastSeq: number }>
  | Typed<'state_changed', { readonly state: Record<string, unknown>; readonly changedKeys: string[] }>
  | Typed<
      'follow_up_queued',
      {
        readonly count: number;
        /** Why this harness does not send one of them, and how to send it. */
        readonly problem?: string;
      }
    >
  | Typed<'workspace_status_changed', { readonly status: WorkspaceStatus; readonly error?: Error }>
  | Typed<'workspace_ready', { readonly workspaceId: string; readonly workspaceName: string }>
  | Typed<'workspace_error', { readonly error: Error }>
  | Typed<
      'subagent_model_changed',
      { readonly modelId: string; readonly scope: 'global' | 'thread'; readonly agentType?: string }
    >
  | Typed<'display_state_changed', { readonly displayState: HarnessDisplayState }>
  | OMEvent;

/** Everything that `harness.subscribe` delivers. */
export type HarnessEvent = ProjectedEvent | NotificationEvent;

/**
 * Events that change the display but are not delivered to subscribers: a relay was answered, a call was revised, a
 * thread was loaded, tasks were restored, no thread is open. Subscribers receive the `display_state_changed` that
 * follows.
 */
export type DisplayOnlyEvent =
  | Typed<'relay_settled', { readonly slot: 'approval' | 'suspension' | 'question' | 'plan'; readonly id: string }>
  | Typed<'tool_revised', { readonly toolCallId: string; readonly args: unknown }>
  | Typed<'thread_loaded', { readonly display: DisplayView }>
  | Typed<'tasks_restored', { readonly tasks: readonly TaskItemSnapshot[] }>
  | Typed<'thread_cleared'>;

/** Every event that the display state is reduced from. */
export type DisplayEvent = HarnessEvent | DisplayOnlyEvent;

const types: Record<DisplayOnlyEvent['type'], true> = {
  relay_settled: true,
  tool_revised: true,
  thread_loaded: true,
  tasks_restored: true,
  thread_cleared: true,
};
const displayOnly: ReadonlySet<string> = new Set(Object.keys(types));

/** Whether subscribers receive the event; other events only change the display. */
export function isHarnessEvent(event: DisplayEvent): event is HarnessEvent {
  return !displayOnly.has(event.type);
}

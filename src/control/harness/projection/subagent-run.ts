import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { SubagentEvent } from '../harness-event.ts';
import { endReason } from '../messages/message-view.ts';
import { toolOutcome } from '../messages/tool-outcome.ts';

/** A run that a call started. */
export interface SubagentRun {
  readonly toolCallId: string;
  readonly agentType: string;
  /** The text since its last call. */
  readonly text: string;
  readonly error?: string;
  readonly startedAt?: number;
}

interface Step {
  readonly run: SubagentRun;
  readonly events: readonly SubagentEvent[];
}

/** Starts a subagent: its type and task are in the call that started it. */
export function beginSubagent(call: EventOf<'tool_call'>, event: AgentEvent): Step {
  const input = Object(call.input) as Readonly<Record<string, unknown>>;
  const model = event.type === 'harness_start' ? event.model : undefined;
  const agentType = textIn(input, 'agentType') ?? event.agentId ?? call.name;
  const about = { toolCallId: call.id, agentType };
  const start: SubagentEvent = {
    type: 'subagent_start',
    ...about,
    task: textIn(input, 'task') ?? '',
    modelId: model ?? textIn(input, 'modelId') ?? '',
    ...(typeof input['forked'] === 'boolean' && { forked: input['forked'] }),
  };
  const startedAt = timeOf(event);
  return { run: { ...about, text: '', ...defined({ startedAt }) }, events: [start] };
}

/** Projects an event of a subagent's run, in the same thread or in a fork. */
export function subagentEvents(run: SubagentRun, event: AgentEvent): Step {
  const about = { toolCallId: run.toolCallId, agentType: run.agentType };
  switch (event.type) {
    case 'text':
      return {
        run: { ...run, text: run.text + event.content },
        events: [{ type: 'subagent_text_delta', ...about, textDelta: event.content }],
      };
    case 'step_start':
      return { run: { ...run, text: '' }, events: [] };
    case 'tool_call':
      return {
        run,
        events: [{ type: 'subagent_tool_start', ...about, subToolName: event.name, subToolArgs: event.input }],
      };
    case 'tool_result': {
      const { result, isError } = toolOutcome(event.output);
      return {
        run: { ...run, text: '' },
        events: [{ type: 'subagent_tool_end', ...about, subToolName: event.name, subToolResult: result, isError }],
      };
    }
    case 'error':
      return { run: { ...run, error: event.message }, events: [] };
    case 'harness_end': {
      const reason = endReason(event.reason ?? 'complete');
      const durationMs = Math.max(0, (timeOf(event) ?? 0) - (run.startedAt ?? timeOf(event) ?? 0));
      const result = resultOf(run, reason, event.reason);
      return {
        run,
        events: [{ type: 'subagent_end', ...about, result, isError: reason === 'error', durationMs }],
      };
    }
    default:
      return { run, events: [] };
  }
}

function resultOf({ text, error }: SubagentRun, reason: ReturnType<typeof endReason>, exact = 'complete'): string {
  if (reason === 'complete') return text;
  if (reason === 'error') return error ?? `The run ended: ${exact}.`;
  return text === '' ? '[Aborted by user]' : `[Aborted by user]\n\nPartial output:\n${text}`;
}

function timeOf({ ts }: AgentEvent): number | undefined {
  return ts === undefined ? undefined : Date.parse(ts);
}

function textIn(input: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = input[key];
  return typeof value === 'string' ? value : undefined;
}

import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { RelayBook } from '../../../projections/relay-book.ts';
import type { DisplayEvent, SubagentEvent } from '../harness-event.ts';
import { withArgs, takeRelays } from './relay-slots.ts';
import { defined } from '../../../base/defined.ts';
import { endReason } from '../messages/message-view.ts';
import { toolOutcome } from '../messages/tool-outcome.ts';

/** A forked subagent, as the display of its parent's thread shows it. It is immutable. */
export interface ForkView {
  readonly threadId: string;
  readonly toolCallId: string;
  readonly agentType: string;
  readonly task: string;
  /** The model of the parent; empty until the first step names that of an agent with its own. */
  readonly modelId: string;
  readonly runId: string;
  /** Absent before its first event. */
  readonly run?: SubagentRun;
  /** The arguments of its open calls. */
  readonly inputs: ReadonlyMap<string, unknown>;
}

/** The view of a fork and the pending relays after an event, and the events to emit. */
interface ProjectedFork {
  readonly fork: ForkView;
  readonly relays: RelayBook;
  readonly events: readonly DisplayEvent[];
}

/**
 * Projects an event of a fork's thread to events of the call that started it. Relays of the fork join those of the
 * parent's thread. It is pure.
 */
export function projectFork(before: ForkView, relays: RelayBook, event: AgentEvent): ProjectedFork {
  const isRecord = event.type === 'run_requested' || event.type === 'model_context';
  const isOwn = event.runId === before.runId && !isRecord;
  const { fork, events } = isOwn ? takeOwn(before, event) : { fork: before, events: [] };
  const asked = event.type === 'relay' ? withArgs(event, id => fork.inputs.get(id)) : event;
  const { relays: after, events: relayEvents } = takeRelays(relays, asked);
  return { fork, relays: after, events: [...relayEvents, ...events] };
}

function takeOwn(before: ForkView, event: AgentEvent): Pick<ProjectedFork, 'fork' | 'events'> {
  const fork = before.modelId === '' ? { ...before, modelId: modelIn(event) } : before;
  if (fork.run === undefined && fork.modelId === '' && event.type === 'harness_start') return { fork, events: [] };
  const begun = fork.run === undefined ? begin(fork, event) : { run: fork.run, events: [] };
  const { run, events } = subagentEvents(begun.run, event);
  return { fork: { ...fork, run, inputs: inputsAfter(fork.inputs, event) }, events: [...begun.events, ...events] };
}

function modelIn(event: AgentEvent): string {
  return (event.type === 'step_start' || event.type === 'harness_start' ? event.model : undefined) ?? '';
}

function begin({ runId, toolCallId, agentType, task, modelId }: ForkView, event: AgentEvent) {
  const input = { agentType, task, modelId, forked: true };
  return beginSubagent({ type: 'tool_call', runId, id: toolCallId, name: 'subagent', input }, event);
}

function inputsAfter(inputs: ForkView['inputs'], event: AgentEvent): ForkView['inputs'] {
  if (event.type === 'tool_call') return new Map(inputs).set(event.id, event.input);
  if (event.type !== 'tool_result') return inputs;
  const open = new Map(inputs);
  open.delete(event.id);
  return open;
}

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
      const result = toResult(run, reason, event.reason);
      return {
        run,
        events: [{ type: 'subagent_end', ...about, result, isError: reason === 'error', durationMs }],
      };
    }
    default:
      return { run, events: [] };
  }
}

function toResult({ text, error }: SubagentRun, reason: ReturnType<typeof endReason>, exact = 'complete'): string {
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

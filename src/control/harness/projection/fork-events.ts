import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { RelayBook } from '../../../projections/relay-book.ts';
import type { DisplayEvent } from '../harness-event.ts';
import { withArgs } from './call-arguments.ts';
import { takeRelays } from './relay-slots.ts';
import { beginSubagent, type SubagentRun, subagentEvents } from './subagent-run.ts';

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
export interface ProjectedFork {
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

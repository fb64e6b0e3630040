import { defined } from '../../../base/defined.ts';
import { type AgentEvent, type EventOf, type EventType, isKnownEvent } from '../../../events/vocabulary.ts';
import { type Conversation, reduceConversation } from '../../../graph/conversation/conversation.ts';
import type { Message as ConversationMessage } from '../../../graph/conversation/record.ts';
import { getChunk, getMessage, getRun, idsFrom } from '../../../graph/conversation/queries.ts';
import type { DisplayEvent, ProjectedEvent } from '../harness-event.ts';
import { folderWords } from '../../../projections/reading/notice.ts';
import { toTasks } from '../../../agents/tasks/assign-task-ids.ts';
import { withArgs, relayEvent, takeRelays, waitingRelays } from './relay-slots.ts';
import { assistantMessage } from '../messages/message-view.ts';
import { emptyProjection, type HarnessProjection, withConversation } from './projection-state.ts';
import { memoryEvents } from './memory-cycles.ts';
import { ProjectionStep } from './projection-step.ts';
import { onRun } from './run-events.ts';
import { beginSubagent, subagentEvents } from './subagent-events.ts';

/** The events of a logged event, and the state after it. */
export interface Projected {
  readonly state: HarnessProjection;
  readonly events: readonly DisplayEvent[];
}

/**
 * Projects one event of a thread's log to harness events, in constant time. It is pure: the same log returns the same
 * events in the same order, live or replayed. An event that was already projected returns none.
 */
export function projectHarness(state: HarnessProjection, event: AgentEvent): Projected {
  const { conversation } = state;
  if (event.seq !== undefined && conversation.seq !== undefined && event.seq <= conversation.seq)
    return { state, events: [] };
  const after = reduceConversation(conversation, event);
  const growing = event.type === 'text' ? growingText(state, after, event) : undefined;
  if (growing !== undefined) return growing;
  const step = new ProjectionStep(state, after);
  if (isKnownEvent(event)) take(step, event);
  return { state: step.state, events: step.events };
}

/** Fast path for the most frequent event: one more fragment of the current text. */
function growingText(state: HarnessProjection, after: Conversation, event: EventOf<'text'>): Projected | undefined {
  const run = state.runs.get(getRun(after, event.runId)?.messageId ?? '');
  if (state.isSuspended || run?.since === undefined || run.textId !== event.id) return undefined;
  const delta = { type: 'text', delta: event.content } as const;
  const message = assistantMessage(after, run.place, run.since, delta);
  return { state: withConversation(state, after), events: [{ type: 'message_update', message }] };
}

/** Projects a whole log. */
export function foldHarness(events: Iterable<AgentEvent>, from: HarnessProjection = emptyProjection()): Projected {
  const emitted: DisplayEvent[] = [];
  let state = from;
  for (const event of events) {
    const next = projectHarness(state, event);
    state = next.state;
    emitted.push(...next.events);
  }
  return { state, events: emitted };
}

/** Whether an event belongs to a run even if the run is unknown; all other events concern the thread. */
const isOfRun: Readonly<Record<EventType, boolean>> = {
  harness_start: true,
  harness_end: true,
  step_start: true,
  session: true,
  user: true,
  text: true,
  reasoning: true,
  tool_input_delta: true,
  tool_call: true,
  tool_start: true,
  tool_progress: true,
  tool_result: true,
  repl_input: true,
  repl_progress: true,
  repl_output: true,
  relay: true,
  relay_resolved: false,
  plan_status: false,
  tasks: false,
  summary: false,
  usage: true,
  error: true,
  warning: false,
  file_registered: false,
  unknown: false,
  custom: false,
  mode_changed: false,
  model_changed: false,
  folder_changed: false,
  grant_revoked: false,
  branch_selected: false,
  collapsed: false,
  abort_requested: false,
  steer_requested: false,
  model_context: false,
  message_queued: false,
  message_changed: false,
  message_withdrawn: false,
  run_requested: false,
};

function take(step: ProjectionStep, event: AgentEvent): void {
  const memory = memoryEvents(step.state.memory, event);
  if (memory !== undefined) {
    step.change({ memory: memory.cycles });
    return step.emit(...memory.events);
  }
  const run = getRun(step.after, event.runId);
  const message = run && getMessage(step.after, run.messageId);
  const isRun = message !== undefined && step.state.runs.has(message.id);
  if (step.state.isSuspended && endsSuspension(step, event)) wake(step, event);
  if (event.type === 'user' && getRun(step.before, event.runId) === undefined) takeUser(step);
  else if (message?.spawnedBy !== undefined && !isRun) takeSubagent(step, message, event);
  else takeRun(step, message?.id ?? event.runId, event, message !== undefined);
  if (event.type === 'relay')
    changeRelays(
      step,
      withArgs(event, id => findCall(step.after, id)?.input),
    );
  else if (event.type === 'relay_resolved') changeRelays(step, event);
  if (!step.state.isSuspended && waitsForData(step.state)) suspend(step);
}

/** Whether an event ends a suspension: the data of a call, or any other event of a run. */
function endsSuspension({ state, before }: ProjectionStep, event: AgentEvent): boolean {
  if (event.type === 'relay_resolved')
    return waitingRelays(state.relays, 'suspension').some(({ id }) => id === event.relayId);
  return isOfRun[event.type] && (event.type !== 'user' || getRun(before, event.runId) !== undefined);
}

/** Emits that the agent waits for nothing but the data of suspended calls. */
function suspend(step: ProjectionStep): void {
  for (const run of step.state.runs.values()) step.endMessage(run);
  step.emit({ type: 'agent_end', reason: 'suspended' });
  step.change({ isSuspended: true });
}

/**
 * Emits that a suspended agent continues: the starts of open messages and calls, and the first call that still waits
 * for data.
 */
function wake(step: ProjectionStep, event: AgentEvent): void {
  step.change({ isSuspended: false });
  step.emit({ type: 'agent_start' });
  for (const { place, since, calls } of step.state.runs.values()) {
    if (since !== undefined) step.emit({ type: 'message_start', message: assistantMessage(step.before, place, since) });
    for (const toolCallId of calls) {
      const { name: toolName = '', input: args } = findCall(step.before, toolCallId) ?? {};
      step.emit({ type: 'tool_start', toolCallId, toolName, args });
    }
  }
  const [shown] = waitingRelays(step.state.relays, 'suspension');
  if (shown !== undefined && (event.type !== 'relay_resolved' || event.relayId !== shown.id))
    step.emit(relayEvent(shown));
}

/** Whether all open calls of the active runs are suspended. */
function waitsForData({ runs, subagents, relays }: HarnessProjection): boolean {
  const suspended = new Set(waitingRelays(relays, 'suspension').map(({ toolCallId }) => toolCallId));
  if (suspended.size === 0 || runs.size === 0 || subagents.size > 0) return false;
  return [...runs.values()].every(({ calls }) => calls.size > 0 && [...calls].every(id => suspended.has(id)));
}

/** A user message is emitted after the `agent_start` of its run; at once while an agent runs. */
function takeUser(step: ProjectionStep): void {
  const ids = idsFrom(step.after, 'message', step.state.messages);
  const id = ids.at(-1);
  step.change({ messages: step.state.messages + ids.length });
  step.emitHeld();
  if (id === undefined) return;
  if (step.state.runs.size > 0) step.emitUser(id);
  else step.change({ held: id });
}

function takeSubagent(step: ProjectionStep, { id, spawnedBy = '' }: ConversationMessage, event: AgentEvent): void {
  const call = findCall(step.after, spawnedBy);
  const known = step.state.subagents.get(id);
  const ended = known === undefined && (getRun(step.before, event.runId)?.status ?? 'running') !== 'running';
  if (event.type === 'harness_end') changeRelays(step, event);
  if (call === undefined || ended) return;
  const begun = known === undefined ? beginSubagent(call, event) : { run: known, events: [] };
  const { run, events } = subagentEvents(begun.run, event);
  step.emit(...begun.events, ...events);
  if (event.type !== 'harness_end' && run === known) return;
  const subagents = new Map(step.state.subagents);
  if (event.type === 'harness_end') subagents.delete(id);
  else subagents.set(id, run);
  step.change({ subagents });
}

function takeRun(step: ProjectionStep, messageId: string, event: AgentEvent, known: boolean): void {
  if (event.type === 'harness_end') changeRelays(step, event);
  const begins = isOfRun[event.type] && (known || event.type !== 'error' || event.fatal === true);
  const run = begins ? step.run(messageId, event) : step.state.runs.get(messageId);
  const fact = toFact(event);
  if (fact !== undefined) step.emit(fact);
  if (event.type === 'tasks') step.change({ tasks: toTasks(event) });
  if (run !== undefined) (onRun[event.type] as (...args: unknown[]) => void)(event, run, step);
  else if (event.type === 'user') step.emitUser(messageId);
}

function changeRelays(step: ProjectionStep, event: AgentEvent): void {
  const { relays, events } = takeRelays(step.state.relays, event);
  step.emit(...events);
  if (relays !== step.state.relays) step.change({ relays });
}

function toFact(event: AgentEvent): DisplayEvent | undefined {
  if (event.type === 'error') return toError(event);
  if (event.type === 'warning') return { type: 'info', message: event.message };
  if (event.type === 'tasks')
    return { type: event.restored === true ? 'tasks_restored' : 'task_updated', tasks: toTasks(event) };
  if (event.type === 'mode_changed')
    return { type: 'mode_changed', modeId: event.modeId, previousModeId: event.previousModeId ?? '' };
  if (event.type === 'folder_changed') return { type: 'info', message: folderWords(event) };
  if (event.type !== 'model_changed') return undefined;
  const { modelId, scope, modeId } = event;
  return { type: 'model_changed', modelId, ...(scope && { scope }), ...defined({ modeId }) };
}

function toError({ message, code, retryable, retryAfterMs }: EventOf<'error'>): ProjectedEvent {
  return {
    type: 'error',
    error: new Error(message),
    ...defined({ errorType: code, retryable, retryDelay: retryAfterMs }),
  };
}

function findCall(conversation: Conversation, chunkId: string): EventOf<'tool_call'> | undefined {
  const event = getChunk(conversation, chunkId)?.event;
  return event?.type === 'tool_call' ? event : undefined;
}

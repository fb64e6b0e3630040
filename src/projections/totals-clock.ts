import { type AgentEvent, type EventOf, type Handlers, isKnownEvent } from '../events/vocabulary.ts';
import { toolOutputOf } from '../events/tools.ts';
import { addToolTotals, addTotals, type CallTimes, type Clock, type TotalsDraft } from './totals-tables.ts';

const silent: Clock = { spoke: false, openCalls: 0 };

/** Takes the times of an event: of the model, of tools and of people who are asked. */
export function takeTimes(draft: TotalsDraft, event: AgentEvent): void {
  if (!isKnownEvent(event)) return;
  const now = event.ts === undefined ? undefined : Date.parse(event.ts);
  (on[event.type] as (event: AgentEvent, draft: TotalsDraft, now: number | undefined) => void)(event, draft, now);
}

const on: Handlers<[TotalsDraft, number | undefined], void> = {
  harness_start: ({ runId, agentId, model }, draft, now) =>
    set(draft, runId, {
      ...clockOf(draft, runId),
      agentId,
      ...(model !== undefined && { model }),
      ...(now !== undefined && { startedAt: now, modelSince: now }),
    }),
  harness_end: ({ runId }, draft) => stopModel(draft, runId),
  step_start: ({ runId, model }, draft, now) => {
    stopModel(draft, runId);
    const clock = clockOf(draft, runId);
    set(draft, runId, {
      ...clock,
      ...(model !== undefined && { model }),
      ...(now !== undefined && { modelSince: now, startedAt: clock.startedAt ?? now }),
    });
  },
  text: hear,
  reasoning: hear,
  tool_input_delta: hear,
  tool_call: (event, draft, now) => {
    hear(event, draft, now);
    startCall(draft, event, now);
  },
  usage: (event, draft, now) => {
    hear(event, draft, now);
    stopModel(draft, event.runId);
  },
  tool_start: ({ id }, draft, now) => {
    const call = draft.last('call', id);
    if (call !== undefined && now !== undefined) draft.add('call', id, { ...call, startedAt: now });
  },
  tool_result: (event, draft, now) => endCall(draft, event, now),
  relay: ({ id, runId, toolCallId }, draft, now) => {
    if (now === undefined) return;
    draft.add('relay', id, {
      askedAt: now,
      runId,
      open: true,
      ...(toolCallId !== undefined && { callId: toolCallId }),
    });
  },
  relay_resolved: ({ relayId }, draft, now) => endRelay(draft, relayId, now),
  session: takesNoTime,
  user: takesNoTime,
  tool_progress: takesNoTime,
  repl_input: takesNoTime,
  repl_progress: takesNoTime,
  repl_output: takesNoTime,
  plan_status: takesNoTime,
  tasks: takesNoTime,
  summary: takesNoTime,
  error: takesNoTime,
  warning: takesNoTime,
  file_registered: takesNoTime,
  unknown: takesNoTime,
  custom: takesNoTime,
  mode_changed: takesNoTime,
  model_changed: takesNoTime,
  folder_changed: takesNoTime,
  grant_revoked: takesNoTime,
  branch_selected: takesNoTime,
  collapsed: takesNoTime,
  abort_requested: takesNoTime,
  steer_requested: takesNoTime,
  model_context: takesNoTime,
  message_queued: takesNoTime,
  message_changed: takesNoTime,
  message_withdrawn: takesNoTime,
  run_requested: takesNoTime,
};

function takesNoTime(): void {}

function clockOf(draft: TotalsDraft, runId: string): Clock {
  return draft.last('clock', runId) ?? silent;
}

function set(draft: TotalsDraft, runId: string, clock: Clock): void {
  draft.add('clock', runId, clock);
}

/** Notes that the model was heard; the first text of a run is counted. */
function hear({ type, runId }: AgentEvent, draft: TotalsDraft, now: number | undefined): void {
  if (now === undefined) return;
  const clock = clockOf(draft, runId);
  const speaks = type === 'text' && !clock.spoke;
  if (speaks && clock.startedAt !== undefined)
    addTotals(draft, runId, { firstTextMs: now - clock.startedAt, firstTexts: 1 });
  if (!speaks && clock.modelSince === undefined) return;
  set(draft, runId, { ...clock, spoke: clock.spoke || speaks, heardAt: now });
}

/** The model is not asked any more: what passed until it was last heard is its time. */
function stopModel(draft: TotalsDraft, runId: string): void {
  const clock = draft.last('clock', runId);
  if (clock === undefined) return;
  const { modelSince, heardAt, ...rest } = clock;
  if (modelSince !== undefined && heardAt !== undefined && heardAt > modelSince)
    addTotals(draft, runId, { modelMs: heardAt - modelSince });
  set(draft, runId, rest);
}

function startCall(draft: TotalsDraft, { id, runId, name: tool }: EventOf<'tool_call'>, now: number | undefined): void {
  const clock = clockOf(draft, runId);
  set(draft, runId, { ...clock, openCalls: clock.openCalls + 1 });
  const times: CallTimes = { runId, tool, waitedMs: 0, done: false, ...(now !== undefined && { calledAt: now }) };
  draft.add('call', id, times);
  addTotals(draft, runId, { toolCalls: 1 });
  addToolTotals(draft, tool, { toolCalls: 1 });
}

/** After the last open call of a run its model is asked again, also when the run reports no steps. */
function endCall(draft: TotalsDraft, { id, output }: EventOf<'tool_result'>, now: number | undefined): void {
  const call = draft.last('call', id);
  if (call === undefined || call.done) return;
  draft.add('call', id, { ...call, done: true });
  const { runId, tool, startedAt, calledAt, waitedMs } = call;
  const since = startedAt ?? (calledAt === undefined ? undefined : calledAt + waitedMs);
  const toolMs = now === undefined || since === undefined ? 0 : Math.max(0, now - since);
  if (toolMs > 0) addTotals(draft, runId, { toolMs });
  addToolTotals(draft, tool, { toolMs, failedCalls: 'context' in toolOutputOf(output) ? 0 : 1 });
  const clock = clockOf(draft, runId);
  const openCalls = Math.max(0, clock.openCalls - 1);
  if (openCalls > 0 || now === undefined) set(draft, runId, { ...clock, openCalls });
  else {
    stopModel(draft, runId);
    set(draft, runId, { ...clockOf(draft, runId), openCalls, modelSince: now });
  }
}

function endRelay(draft: TotalsDraft, id: string, now: number | undefined): void {
  const relay = draft.last('relay', id);
  if (relay === undefined || !relay.open || now === undefined) return;
  const waited = Math.max(0, now - relay.askedAt);
  draft.add('relay', id, { ...relay, open: false });
  addTotals(draft, relay.runId, { approvalMs: waited });
  const call = relay.callId === undefined ? undefined : draft.last('call', relay.callId);
  if (relay.callId !== undefined && call !== undefined)
    draft.add('call', relay.callId, { ...call, waitedMs: call.waitedMs + waited });
}

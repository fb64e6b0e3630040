import type { AgentEvent } from '../events/index.ts';
import { addTotals, type CallTimes, type Clock, type TotalsDraft } from './totals-tables.ts';

const silent: Clock = { spoke: false, openCalls: 0 };

/** Takes the times of an event: of the model, of tools and of people who are asked. */
export function takeTimes(draft: TotalsDraft, event: AgentEvent): void {
  const { runId } = event;
  const now = event.ts === undefined ? undefined : Date.parse(event.ts);
  const clock = draft.last('clock', runId) ?? silent;
  switch (event.type) {
    case 'harness_start':
      set(draft, runId, {
        ...clock,
        agentId: event.agentId,
        ...(event.model !== undefined && { model: event.model }),
        ...(now !== undefined && { startedAt: now, modelSince: now }),
      });
      break;
    case 'step_start':
      stopModel(draft, runId);
      set(draft, runId, {
        ...(draft.last('clock', runId) ?? silent),
        ...(event.model !== undefined && { model: event.model }),
        ...(now !== undefined && { modelSince: now, startedAt: clock.startedAt ?? now }),
      });
      break;
    case 'text':
    case 'reasoning':
    case 'tool_input_delta':
      hear(draft, event, now);
      break;
    case 'tool_call':
      hear(draft, event, now);
      startCall(draft, event, now);
      break;
    case 'usage':
      hear(draft, event, now);
      stopModel(draft, runId);
      break;
    case 'tool_start': {
      const call = draft.last('call', event.id);
      if (call !== undefined && now !== undefined) draft.add('call', event.id, { ...call, startedAt: now });
      break;
    }
    case 'tool_result':
      endCall(draft, event.id, now);
      break;
    case 'relay':
      if (now !== undefined)
        draft.add('relay', event.id, {
          askedAt: now,
          runId,
          open: true,
          ...(event.toolCallId !== undefined && { callId: event.toolCallId }),
        });
      break;
    case 'relay_resolved':
      endRelay(draft, event.relayId, now);
      break;
    case 'harness_end':
      stopModel(draft, runId);
      break;
    default:
  }
}

function set(draft: TotalsDraft, runId: string, clock: Clock): void {
  draft.add('clock', runId, clock);
}

/** Notes that the model was heard; the first text of a run is counted. */
function hear(draft: TotalsDraft, { type, runId }: AgentEvent, now: number | undefined): void {
  if (now === undefined) return;
  const clock = draft.last('clock', runId) ?? silent;
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

function startCall(draft: TotalsDraft, { id, runId }: { id: string; runId: string }, now: number | undefined): void {
  const clock = draft.last('clock', runId) ?? silent;
  set(draft, runId, { ...clock, openCalls: clock.openCalls + 1 });
  const times: CallTimes = { runId, waitedMs: 0, done: false, ...(now !== undefined && { calledAt: now }) };
  draft.add('call', id, times);
  addTotals(draft, runId, { toolCalls: 1 });
}

/** After the last open call of a run its model is asked again, also when the run does not tell its steps. */
function endCall(draft: TotalsDraft, id: string, now: number | undefined): void {
  const call = draft.last('call', id);
  if (call === undefined || call.done) return;
  draft.add('call', id, { ...call, done: true });
  const { runId, startedAt, calledAt, waitedMs } = call;
  const since = startedAt ?? (calledAt === undefined ? undefined : calledAt + waitedMs);
  if (now !== undefined && since !== undefined) addTotals(draft, runId, { toolMs: Math.max(0, now - since) });
  const clock = draft.last('clock', runId) ?? silent;
  const openCalls = Math.max(0, clock.openCalls - 1);
  if (openCalls > 0 || now === undefined) set(draft, runId, { ...clock, openCalls });
  else {
    stopModel(draft, runId);
    set(draft, runId, { ...(draft.last('clock', runId) ?? silent), openCalls, modelSince: now });
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

import type { EventOf } from '../../../events/index.ts';
import type { DisplayEvent, DisplayOnlyEvent, ProjectedEvent } from '../harness-event.ts';

type Relay = EventOf<'relay'>;

/** The display slot of a relay. */
export type RelaySlot = Extract<DisplayOnlyEvent, { type: 'relay_settled' }>['slot'];

/** The pending relays, oldest first. Only the first of each slot is emitted, because the display shows one per slot. */
export type RelayQueues = Readonly<Record<RelaySlot, readonly Relay[]>>;

export const noRelays: RelayQueues = { approval: [], suspension: [], question: [], plan: [] };

interface Step {
  readonly queues: RelayQueues;
  readonly events: readonly DisplayEvent[];
}

/** Adds a relay; emits it when its slot is free. */
export function askRelay(queues: RelayQueues, relay: Relay): Step {
  const slot = slotOf(relay);
  if (slot === undefined) return { queues, events: [relayEvent(relay)] };
  const queue = queues[slot];
  if (queue.some(({ id }) => id === relay.id)) return { queues, events: [] };
  return { queues: { ...queues, [slot]: [...queue, relay] }, events: queue.length === 0 ? [relayEvent(relay)] : [] };
}

/** Settles an answered relay and emits the next one of its slot. */
export function settleRelay(queues: RelayQueues, { relayId, outcome, input }: EventOf<'relay_resolved'>): Step {
  const relay = allRelays(queues).find(({ id }) => id === relayId);
  const slot = relay && slotOf(relay);
  if (slot === undefined || relay === undefined) return { queues, events: [] };
  const [first, ...later] = queues[slot];
  const next = first?.id === relayId ? later[0] : undefined;
  const id = idIn(slot, relay);
  const events: DisplayEvent[] = [];
  if (slot === 'approval' && outcome === 'revise') events.push({ type: 'tool_revised', toolCallId: id, args: input });
  events.push({ type: 'relay_settled', slot, id });
  if (slot === 'plan' && outcome === 'approve') events.push({ type: 'plan_approved' });
  if (outcome === 'expired') events.push({ type: 'info', message: `Nobody answered in time: ${subjectOf(relay)}.` });
  if (outcome === 'cancelled')
    events.push({ type: 'info', message: `No answer is needed any more: ${subjectOf(relay)}.` });
  if (next !== undefined) events.push(relayEvent(next));
  return { queues: { ...queues, [slot]: queues[slot].filter(({ id }) => id !== relayId) }, events };
}

/** Cancels the unanswered relays of an ended run. */
export function endRelays(queues: RelayQueues, runId: string): Step {
  let step: Step = { queues, events: [] };
  for (const relay of allRelays(queues)) {
    if (relay.runId !== runId) continue;
    const settled = { type: 'relay_resolved', runId, relayId: relay.id, outcome: 'cancelled' } as const;
    const next = settleRelay(step.queues, settled);
    step = { queues: next.queues, events: [...step.events, ...next.events] };
  }
  return step;
}

/** The first pending relay of a slot, or the one with an id. */
export function waitingRelay(queues: RelayQueues, slot: RelaySlot, id?: string): Relay | undefined {
  return queues[slot].find(relay => id === undefined || idIn(slot, relay) === id);
}

/** The events of the first pending relays, for a new display. */
export function pendingRelayEvents(queues: RelayQueues): ProjectedEvent[] {
  return Object.values(queues).flatMap(([first]) => (first === undefined ? [] : [relayEvent(first)]));
}

function allRelays(queues: RelayQueues): Relay[] {
  return Object.values(queues).flat();
}

function slotOf({ relayKind }: Relay): RelaySlot | undefined {
  if (relayKind === 'access') return undefined;
  return relayKind === 'permission' ? 'approval' : relayKind;
}

/** The id that the relay's event carries. */
function idIn(slot: RelaySlot, relay: Relay): string {
  if (slot === 'question') return relay.id;
  return (relay.relayKind === 'plan' ? relay.planId : relay.toolCallId) ?? relay.id;
}

/** Converts a relay to its event. */
export function relayEvent(relay: Relay): ProjectedEvent {
  switch (relay.relayKind) {
    case 'permission':
      return {
        type: 'tool_approval_required',
        toolCallId: relay.toolCallId,
        toolName: relay.tool,
        args: relay.params,
      };
    case 'suspension':
      return {
        type: 'tool_suspended',
        toolCallId: relay.toolCallId,
        toolName: relay.tool,
        args: relay.params ?? {},
        suspendPayload: relay.payload,
        ...(relay.resumeSchema !== undefined && { resumeSchema: relay.resumeSchema }),
      };
    case 'question':
      return {
        type: 'ask_question',
        questionId: relay.id,
        question: relay.question,
        ...(relay.options !== undefined && { options: relay.options }),
        ...(relay.selectionMode !== undefined && { selectionMode: relay.selectionMode }),
      };
    case 'plan':
      return {
        type: 'plan_approval_required',
        planId: relay.planId,
        title: relay.title ?? 'Implementation Plan',
        plan: relay.plan,
      };
    default:
      return {
        type: 'sandbox_access_request',
        questionId: relay.id,
        path: textIn(relay.params, 'path'),
        reason: textIn(relay.params, 'reason'),
      };
  }
}

function subjectOf(relay: Relay): string {
  if (relay.relayKind === 'question') return `the question "${relay.question}"`;
  if (relay.relayKind === 'plan') return `the plan "${relay.title ?? relay.planId}"`;
  return relay.relayKind === 'access' ? 'the request for access' : `the call of ${relay.tool}`;
}

function textIn(params: Readonly<Record<string, unknown>>, key: string): string {
  const value = params[key];
  return typeof value === 'string' ? value : '';
}

import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { RelayBook, RelayEntry } from '../../../projections/relay-book.ts';
import type { DisplayEvent, DisplayOnlyEvent, ProjectedEvent } from '../harness-event.ts';

type Relay = EventOf<'relay'>;

/** The display slot of a relay. */
export type RelaySlot = Extract<DisplayOnlyEvent, { type: 'relay_settled' }>['slot'];

interface Step {
  readonly relays: RelayBook;
  readonly events: readonly DisplayEvent[];
}

/**
 * Takes an event that may ask, answer or close relays. Only the first pending relay of each slot is emitted, because the
 * display shows one per slot; the next one is emitted when that is settled.
 */
export function takeRelays(relays: RelayBook, event: AgentEvent): Step {
  const after = relays.with(event);
  if (after === relays) return { relays, events: [] };
  const settled = relays.pending.flatMap(({ id }) => settledEntry(after, id));
  const events = settled.flatMap(settledEvents);
  const asked = event.type === 'relay' && after.get(event.id)?.status === 'pending' ? [event] : [];
  for (const relay of asked) if (getSlot(relay) === undefined) events.push(relayEvent(relay));
  for (const slot of slots) {
    const first = waitingRelay(after, slot);
    if (first !== undefined && first.id !== waitingRelay(relays, slot)?.id) events.push(relayEvent(first));
  }
  return { relays: after, events };
}

/** Returns the entry of a relay that is no longer pending. */
function settledEntry(relays: RelayBook, id: string): RelayEntry[] {
  const entry = relays.get(id);
  return entry === undefined || entry.status === 'pending' ? [] : [entry];
}

function settledEvents({ relay, answer, reason }: RelayEntry): DisplayEvent[] {
  const slot = getSlot(relay);
  if (slot === undefined) return [];
  const id = idIn(slot, relay);
  const events: DisplayEvent[] = [];
  if (slot === 'approval' && answer?.outcome === 'revise')
    events.push({ type: 'tool_revised', toolCallId: id, args: answer.input });
  events.push({ type: 'relay_settled', slot, id });
  if (slot === 'plan' && answer?.outcome === 'approve') events.push({ type: 'plan_approved' });
  if (reason === 'expired')
    events.push({ type: 'info', message: `Nobody answered in time: ${describeSubject(relay)}.` });
  else if (reason !== undefined)
    events.push({ type: 'info', message: `No answer is needed any more: ${describeSubject(relay)}.` });
  return events;
}

/** The pending relays of a slot, oldest first. */
export function waitingRelays(relays: RelayBook, slot: RelaySlot): Relay[] {
  return relays.pending.flatMap(({ relay }) => (getSlot(relay) === slot ? relay : []));
}

/** The first pending relay of a slot, or the one with an id. */
export function waitingRelay(relays: RelayBook, slot: RelaySlot, id?: string): Relay | undefined {
  return waitingRelays(relays, slot).find(relay => id === undefined || idIn(slot, relay) === id);
}

/** The events of the first pending relays and of all requests for access, for a new display. */
export function pendingRelayEvents(relays: RelayBook): ProjectedEvent[] {
  const first = slots.flatMap(slot => waitingRelay(relays, slot) ?? []);
  const access = relays.pending.flatMap(({ relay }) => (relay.relayKind === 'access' ? relay : []));
  return [...first, ...access].map(relayEvent);
}

const slots: readonly RelaySlot[] = ['approval', 'suspension', 'question', 'plan'];

function getSlot({ relayKind }: Relay): RelaySlot | undefined {
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
        toolCallId: relay.toolCallId ?? relay.id,
        toolName: relay.tool,
        args: relay.params ?? {},
        suspendPayload: relay.payload,
        ...defined({ resumeSchema: relay.resumeSchema }),
      };
    case 'question':
      return {
        type: 'ask_question',
        questionId: relay.id,
        question: relay.question,
        ...defined({ options: relay.options, selectionMode: relay.selectionMode }),
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

function describeSubject(relay: Relay): string {
  if (relay.relayKind === 'question') return `the question "${relay.question}"`;
  if (relay.relayKind === 'plan') return `the plan "${relay.title ?? relay.planId}"`;
  return relay.relayKind === 'access' ? 'the request for access' : `the call of ${relay.tool}`;
}

function textIn(params: Readonly<Record<string, unknown>>, key: string): string {
  const value = params[key];
  return typeof value === 'string' ? value : '';
}

/** Adds the arguments of the call to a suspension that does not contain them. */
export function withArgs(relay: EventOf<'relay'>, inputOf: (callId: string) => unknown): EventOf<'relay'> {
  if (relay.relayKind !== 'suspension' || relay.params !== undefined || relay.toolCallId === undefined) return relay;
  const input = inputOf(relay.toolCallId);
  return typeof input === 'object' && input !== null ? { ...relay, params: { ...input } } : relay;
}

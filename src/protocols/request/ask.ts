import type { EventOf } from '../../events/vocabulary.ts';
import { openCall } from './calls.ts';
import { openRelay } from './decision.ts';
import type { OpenRun } from './open.ts';
import { movePlan } from './relays.ts';
import type { RequestState } from './request-state.ts';

/** A person is asked; a permission for a call that is not open opens it. */
export function ask(state: RequestState, run: OpenRun, event: EventOf<'relay'>): void {
  if (state.book.get(event.id) !== undefined) return;
  if (event.relayKind === 'permission')
    openCall(state, run, { id: event.toolCallId, toolName: event.tool, input: event.params });
  const call = event.toolCallId === undefined ? undefined : state.runs.callNamed(event.toolCallId);
  const relay = openRelay(event, run, call);
  state.relays.set(relay.id, relay);
  run.relays.add(relay);
  call?.relays.add(relay);
  if (relay.kind === 'plan') movePlan(state, relay.target, 'pending_approval', 'draft');
  state.emit({ type: 'asked', relay });
}

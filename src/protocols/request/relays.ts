import type { EventOf } from '../../events/vocabulary.ts';
import { type RelayDecision, decisionOf } from './decision.ts';
import type { PlanStatus } from './fact.ts';
import type { OpenRelay } from './open.ts';
import type { RequestState } from './request-state.ts';

/** A person, or nobody in time, answered. */
export function resolve(state: RequestState, event: EventOf<'relay_resolved'>): void {
  const isFirst = state.book.get(event.relayId)?.status === 'pending';
  const relay = isFirst ? state.relays.get(event.relayId) : undefined;
  if (relay !== undefined) decide(state, relay, decisionOf(event));
}

/** Emits the decision on a relay, and what it means for a plan. */
export function decide(state: RequestState, relay: OpenRelay, decision: RelayDecision): void {
  state.relays.delete(relay.id);
  relay.run.relays.delete(relay);
  relay.call?.relays.delete(relay);
  const waited = state.totals.endRelay(relay.askedAt, state.at);
  if (relay.call !== undefined) {
    relay.call.waitedMs += waited;
    if (relay.kind === 'tool') relay.call.refused = decision.outcome === 'reject';
  }
  state.emit({ type: 'decided', relay, decision });
  if (relay.kind === 'plan' && state.plans.get(relay.target) === 'pending_approval')
    movePlan(state, relay.target, decision.outcome === 'approve' ? 'approved' : 'draft');
}

/** Emits where a plan stands now; `from` is where it stood when that was not emitted before. A new plan is a draft. */
export function movePlan(state: RequestState, planId: string, to: PlanStatus, from?: PlanStatus): void {
  const shown = state.plans.get(planId) ?? from ?? 'draft';
  if (shown === to) return;
  if (to === 'draft' || to === 'executed' || to === 'failed') state.plans.delete(planId);
  else state.plans.set(planId, to);
  state.emit({ type: 'plan', change: { planId, from: shown, to } });
}

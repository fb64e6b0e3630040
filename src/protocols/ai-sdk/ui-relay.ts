import type { RelayPart } from '../../projections/reading/view-node.ts';
import { decisionOf, type RelayDecision, relaySubject, undecided } from '../request/decision.ts';
import { approvalPart } from './data-parts.ts';

/** What was decided about a relay; undefined while it waits. */
export function relayDecision({ status, answer }: RelayPart): RelayDecision | undefined {
  if (answer !== undefined) return decisionOf(answer);
  return status === 'pending' ? undefined : undecided('The run ended before anybody answered.');
}

/** A relay as a data part. */
export function relayDataPart(part: RelayPart, callId?: string): ReturnType<typeof approvalPart> {
  return approvalPart({ id: part.relay.id, ...relaySubject(part.relay, callId) }, relayDecision(part));
}

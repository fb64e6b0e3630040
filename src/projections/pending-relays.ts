import type { EventOf } from '../events/index.ts';
import type { Fold } from './fold.ts';

/** A relay that waits for a person. */
export interface PendingRelay {
  readonly id: string;
  readonly runId: string;
  readonly relay: EventOf<'relay'>;
  /** When it was asked, when that is known. */
  readonly since?: string;
}

export interface PendingRelaysState {
  readonly seq: number;
  readonly pending: readonly PendingRelay[];
}

/** What waits for a person, oldest first, as a fold: a relay waits until its answer, or the end of its run. */
export const pendingRelays: Fold<PendingRelaysState, readonly PendingRelay[]> = {
  initial: { seq: 0, pending: [] },
  step: (state, event) => {
    if (event.seq !== undefined && event.seq <= state.seq) return state;
    const seq = event.seq ?? state.seq;
    const { pending } = state;
    if (event.type === 'relay') {
      const { id, runId, ts } = event;
      const asked = { id, runId, relay: event, ...(ts !== undefined && { since: ts }) };
      return { seq, pending: [...pending.filter(other => other.id !== id), asked] };
    }
    if (event.type === 'relay_resolved') return { seq, pending: pending.filter(({ id }) => id !== event.relayId) };
    if (event.type === 'harness_end') return { seq, pending: pending.filter(({ runId }) => runId !== event.runId) };
    return { seq, pending };
  },
  view: state => state.pending,
};

import type { AgentEvent, EventOf } from '../events/index.ts';
import type { RelayState } from '../projections/run-state.ts';

/** The relays of a thread that a person approved for more than one call. */
export class Decisions {
  readonly #asked = new Map<string, EventOf<'relay'>>();
  readonly #decided = new Map<string, RelayState>();

  take(event: AgentEvent): void {
    if (event.type === 'relay') this.#asked.set(event.id, event);
    if (event.type !== 'relay_resolved' || (event.remember ?? 'once') === 'once') return;
    const relay = this.#asked.get(event.relayId);
    if (relay !== undefined && !this.#decided.has(event.relayId))
      this.#decided.set(event.relayId, { relay, answer: event });
  }

  all(): RelayState[] {
    return [...this.#decided.values()];
  }
}

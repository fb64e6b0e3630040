import type { AgentEvent } from '../events/vocabulary.ts';

/** Tracks what a stream of events leaves open: runs without an end, unanswered relays and queued messages. */
export class OpenEnds {
  /** The agents of the open runs, by run, in the order in which they began. */
  readonly #runs = new Map<string, string>();
  /** The runs of the pending relays, by relay. */
  readonly #relays = new Map<string, string>();
  /** The `runId` that each waiting message was queued with, by message. */
  readonly #messages = new Map<string, string>();

  /** Takes the next event of the stream. */
  take(event: AgentEvent): void {
    const { runId } = event;
    if (event.type === 'harness_start') this.#runs.set(runId, event.agentId);
    else if (event.type === 'relay') this.#relays.set(event.id, runId);
    else if (event.type === 'relay_resolved') this.#relays.delete(event.relayId);
    else if (event.type === 'message_queued' || event.type === 'steer_requested') this.#messages.set(event.id, runId);
    else if (event.type === 'message_withdrawn') this.#messages.delete(event.id);
    else if (event.type === 'user' && event.id !== undefined) this.#messages.delete(event.id);
    else if (event.type === 'harness_end') {
      this.#runs.delete(runId);
      for (const [relayId, asker] of this.#relays) if (asker === runId) this.#relays.delete(relayId);
    }
  }

  /** The events that close it: messages are withdrawn, relays cancelled, then runs interrupted, the innermost first. */
  closing(): AgentEvent[] {
    return [
      ...Array.from(this.#messages, ([id, runId]): AgentEvent => ({ type: 'message_withdrawn', runId, id })),
      ...Array.from(
        this.#relays,
        ([relayId, runId]): AgentEvent => ({ type: 'relay_resolved', runId, relayId, outcome: 'cancelled' }),
      ),
      ...Array.from(
        this.#runs,
        ([runId, agentId]): AgentEvent => ({ type: 'harness_end', runId, agentId, reason: 'interrupted' }),
      ).toReversed(),
    ];
  }
}

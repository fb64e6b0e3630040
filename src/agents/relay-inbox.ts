import type { Answers, RelayAnswer } from './agent.ts';
import { type AgentEvent, type EventOf, SingletreeError } from '../events/index.ts';

/** The relays that wait for an answer, and the agents that wait with them. Fed with the events of the thread. */
export class RelayInbox implements Answers {
  readonly #pending = new Map<string, EventOf<'relay'>>();
  readonly #answers = new Map<string, RelayAnswer>();
  readonly #waiting = new Map<string, (answer: RelayAnswer) => void>();

  /** Processes the next event. */
  take(event: AgentEvent): void {
    if (event.type === 'relay' && !this.#answers.has(event.id)) this.#pending.set(event.id, event);
    if (event.type !== 'relay_resolved') return;
    const { relayId } = event;
    this.#pending.delete(relayId);
    if (this.#answers.has(relayId)) return;
    this.#answers.set(relayId, event);
    this.#waiting.get(relayId)?.(event);
  }

  /** Returns an open relay; throws `relay_not_found`, or `relay_resolved` when it was answered. */
  pending(relayId: string): EventOf<'relay'> {
    const relay = this.#pending.get(relayId);
    if (relay !== undefined) return relay;
    throw this.#answers.has(relayId)
      ? new SingletreeError('relay_resolved', `"${relayId}" was answered before: the first answer stands.`)
      : new SingletreeError('relay_not_found', `Nobody asked "${relayId}".`);
  }

  /** Returns the open relays of a run. */
  pendingOf(runId: string): EventOf<'relay'>[] {
    return [...this.#pending.values()].filter(relay => relay.runId === runId);
  }

  wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer> {
    const answer = this.#answers.get(relayId);
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(relayId);
        reject(signal.reason as Error);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(relayId, given => {
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(relayId);
        resolve(given);
      });
    });
  }
}

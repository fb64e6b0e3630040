import { type AgentEvent, type EventOf, SingletreeError } from '../events/index.ts';
import { relayBook } from '../projections/relay-book.ts';
import type { Answers, RelayAnswer } from './agent.ts';

/** The relays of running agents, and the agents that wait for an answer. It is fed with the events. */
export class RelayInbox implements Answers {
  readonly #waiting = new Map<string, (answer: RelayAnswer) => void>();
  #book = relayBook.initial;

  /** Takes in the next event. */
  take(event: AgentEvent): void {
    this.#book = relayBook.step(this.#book, event);
    if (event.type !== 'relay_resolved') return;
    const answer = this.#book.get(event.relayId)?.answer;
    if (answer !== undefined) this.#waiting.get(event.relayId)?.(answer);
  }

  /** Returns a relay that waits for an answer; throws `relay_not_found`, or `relay_resolved` when it no longer waits. */
  pending(relayId: string): EventOf<'relay'> {
    const entry = this.#book.get(relayId);
    if (entry?.status === 'pending') return entry.relay;
    throw entry === undefined
      ? new SingletreeError('relay_not_found', `Nobody asked "${relayId}".`)
      : new SingletreeError('relay_resolved', `"${relayId}" was answered before: the first answer counts.`);
  }

  /** The relays of a run that wait for an answer. */
  pendingOf(runId: string): EventOf<'relay'>[] {
    return this.#book.pending.flatMap(entry => (entry.runId === runId ? [entry.relay] : []));
  }

  wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer> {
    const answer = this.#book.get(relayId)?.answer;
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

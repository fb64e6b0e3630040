import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { relayBook } from '../projections/relay-book.ts';
import type { Answers, RelayAnswer } from './contract/host.ts';

/** The relays that wait for an answer, and the agents that wait with them. Fed with the events of the thread. */
export class RelayInbox implements Answers {
  readonly #waiting = new Map<string, Set<(answer: RelayAnswer) => void>>();
  #book = relayBook.initial;

  /** Processes the next event. */
  take(event: AgentEvent): void {
    this.#book = relayBook.step(this.#book, event);
    if (event.type !== 'relay_resolved') return;
    const answer = this.#book.get(event.relayId)?.answer;
    if (answer === undefined) return;
    for (const resolve of this.#waiting.get(event.relayId) ?? []) resolve(answer);
    this.#waiting.delete(event.relayId);
  }

  /** Returns an open relay; throws `relay_not_found`, or `relay_resolved` when it was answered. */
  pending(relayId: string): EventOf<'relay'> {
    const entry = this.#book.get(relayId);
    if (entry?.status === 'pending') return entry.relay;
    throw entry === undefined
      ? new SingletreeError('relay_not_found', `Nobody asked "${relayId}".`)
      : new SingletreeError('relay_resolved', `"${relayId}" was answered before: the first answer counts.`);
  }

  /** Returns the open relays of a run. */
  pendingOf(runId: string): EventOf<'relay'>[] {
    return this.#book.pending.flatMap(entry => (entry.runId === runId ? [entry.relay] : []));
  }

  wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer> {
    const answer = this.#book.get(relayId)?.answer;
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(relayId) ?? new Set();
      const stop = () => {
        waiting.delete(take);
        reject(signal.reason as Error);
      };
      const take = (given: RelayAnswer) => {
        signal.removeEventListener('abort', stop);
        resolve(given);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(relayId, waiting.add(take));
    });
  }
}

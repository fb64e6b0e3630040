import type { Answers, RelayAnswer } from '../agents/agent.ts';
import type { AgentEvent, EventOf } from '../events/index.ts';

/** The relays of one thread that wait for an answer, and the agents that wait with them. It is fed from the log. */
export class RelayInbox implements Answers {
  readonly #pending = new Map<string, EventOf<'relay'>>();
  readonly #answers = new Map<string, RelayAnswer>();
  readonly #waiting = new Map<string, (answer: RelayAnswer) => void>();

  /** Takes in what was appended to the thread. */
  take(event: AgentEvent): void {
    if (event.type === 'relay' && !this.#answers.has(event.id)) this.#pending.set(event.id, event);
    if (event.type !== 'relay_resolved') return;
    const { relayId } = event;
    this.#pending.delete(relayId);
    if (this.#answers.has(relayId)) return;
    this.#answers.set(relayId, event);
    this.#waiting.get(relayId)?.(event);
  }

  /** The relays of a run that nobody answered yet. */
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

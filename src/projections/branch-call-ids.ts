import type { Call } from './block-messages.ts';
import type { Message } from './message.ts';
import { ProviderIds } from './provider-ids.ts';

/** The id a provider is sent for each call of a branch, given in the order of the calls; those of a history are taken. */
export class BranchCallIds {
  readonly #ids = new ProviderIds();
  readonly #seen = new Set<string>();
  readonly #given = new Map<string, string>();
  #newest = -1;

  constructor(history: readonly Message[] = []) {
    for (const message of history)
      if (message.role === 'assistant')
        for (const part of message.content) if (part.type === 'tool_call') this.#ids.reserve(part.id);
  }

  /** Gives calls their ids; false, and nothing is given, when one of them should have had its id before. */
  give(calls: readonly Call[]): boolean {
    const inOrder = calls.toSorted((a, b) => a.order - b.order);
    if (inOrder[0] !== undefined && inOrder[0].order <= this.#newest) return false;
    for (const { id, runId, order, event } of inOrder) {
      this.#given.set(id, this.#ids.of({ id: this.#seen.has(event.id) ? id : event.id, runId }));
      this.#seen.add(event.id);
      this.#newest = order;
    }
    return true;
  }

  of({ id }: Call): string {
    return this.#given.get(id) ?? id;
  }
}

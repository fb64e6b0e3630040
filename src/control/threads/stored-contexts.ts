import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';

/** The ids of model contexts and tools that a thread has whole. */
export class StoredContexts {
  readonly #ids: Set<string>;

  constructor(ids: Iterable<string> = []) {
    this.#ids = new Set(ids);
  }

  /** Adds the ids of a stored event. */
  take(event: AgentEvent): void {
    if (event.type !== 'model_context') return;
    this.#ids.add(event.id);
    for (const { id, tool } of event.tools) if (tool !== undefined) this.#ids.add(id);
  }

  /** Returns a copy that later ones do not change. */
  copy(): StoredContexts {
    return new StoredContexts(this.#ids);
  }

  /** Returns the event to store: a context without the tools that are stored; undefined for a context that is stored itself. */
  toStored(event: AgentEvent): AgentEvent | undefined {
    if (event.type !== 'model_context') return event;
    if (this.#ids.has(event.id)) return undefined;
    const stored: EventOf<'model_context'> = {
      ...event,
      tools: event.tools.map(({ id, ...described }) => (this.#ids.has(id) ? { id } : { id, ...described })),
    };
    this.take(event);
    return stored;
  }
}

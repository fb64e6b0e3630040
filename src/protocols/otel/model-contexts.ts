import type { EventOf } from '../../events/vocabulary.ts';

type ToolDescription = Readonly<Record<string, unknown>>;

/** What models of a thread were sent beside messages, as far as spans show it. */
export class ModelContexts {
  readonly #contexts = new Map<string, EventOf<'model_context'>>();
  readonly #tools = new Map<string, ToolDescription>();

  take(event: EventOf<'model_context'>): void {
    this.#contexts.set(event.id, event);
    for (const { id, tool } of event.tools) if (tool !== undefined) this.#tools.set(id, tool);
  }

  get(id: string | undefined): EventOf<'model_context'> | undefined {
    return id === undefined ? undefined : this.#contexts.get(id);
  }

  /** Returns the tools that a context offers. */
  tools(id: string | undefined): ToolDescription[] {
    return (this.get(id)?.tools ?? []).flatMap<ToolDescription>(tool => this.#tools.get(tool.id) ?? []);
  }
}

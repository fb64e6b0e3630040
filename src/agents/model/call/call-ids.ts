import type { AgentEvent } from '../../../events/vocabulary.ts';

/**
 * Assigns event ids to the tool calls of one run: `{runId}/{rawId}`, with a number when the run already used that id,
 * because some models restart their numbering in each answer. The ids of an attempt can be reused until the attempt is
 * kept.
 */
export class CallIds {
  readonly #runId: string;
  readonly #kept = new Set<string>();
  readonly #attempt = new Set<string>();

  /** Continues after the events the run has already made. */
  constructor(runId: string, events: Iterable<AgentEvent> = []) {
    this.#runId = runId;
    for (const event of events)
      if (event.type === 'step_start') this.begin();
      else if (event.type === 'tool_call') this.#attempt.add(event.id);
      else if (event.type === 'usage') this.keep();
  }

  /** Starts an attempt at a model call. */
  begin(): void {
    this.#attempt.clear();
  }

  /** Returns the id of one more call. */
  next(rawId: string): string {
    const first = `${this.#runId}/${rawId}`;
    let id = first;
    for (let number = 2; this.#kept.has(id) || this.#attempt.has(id); number++) id = `${first}_${number}`;
    this.#attempt.add(id);
    return id;
  }

  /** Keeps the ids of the current attempt. */
  keep(): void {
    for (const id of this.#attempt) this.#kept.add(id);
    this.#attempt.clear();
  }
}

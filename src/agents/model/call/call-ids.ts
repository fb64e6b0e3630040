import type { AgentEvent } from '../../../events/index.ts';

/**
 * Gives the tool calls of one run their event ids: `{runId}/{rawId}`, with a number when the run used that id before,
 * as models do that count their calls anew in each answer. What an attempt was given is free again for the next one,
 * until the attempt is kept.
 */
export class CallIds {
  readonly #runId: string;
  readonly #kept = new Set<string>();
  readonly #attempt = new Set<string>();

  /** Goes on after the events the run has already made. */
  constructor(runId: string, events: Iterable<AgentEvent> = []) {
    this.#runId = runId;
    for (const event of events)
      if (event.type === 'step_start') this.begin();
      else if (event.type === 'tool_call') this.#attempt.add(event.id);
      else if (event.type === 'usage') this.keep();
  }

  /** Begins an attempt at a model call. */
  begin(): void {
    this.#attempt.clear();
  }

  /** The id for one more call. */
  next(rawId: string): string {
    const first = `${this.#runId}/${rawId}`;
    let id = first;
    for (let number = 2; this.#kept.has(id) || this.#attempt.has(id); number++) id = `${first}_${number}`;
    this.#attempt.add(id);
    return id;
  }

  /** The attempt is the one that counts. */
  keep(): void {
    for (const id of this.#attempt) this.#kept.add(id);
    this.#attempt.clear();
  }
}

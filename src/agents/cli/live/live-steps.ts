import type { AgentEvent } from '../../../events/vocabulary.ts';

/** Continues the numbering of a run's steps over its turns: each turn of a channel begins with step 0. */
export class LiveSteps {
  readonly #runId: string;
  #last = -1;
  #offset = 0;

  /** `before` are the events of the run before its process ended. */
  constructor(runId: string, before: readonly AgentEvent[] = []) {
    this.#runId = runId;
    for (const event of before) if (event.type === 'step_start') this.#last = Math.max(this.#last, event.step);
  }

  /** Begins the next turn. */
  nextTurn(): void {
    this.#offset = this.#last + 1;
  }

  /** Returns the event with its number in the run. */
  continued(event: AgentEvent): AgentEvent {
    if (event.type !== 'step_start' || event.runId !== this.#runId) return event;
    const step = event.step + this.#offset;
    this.#last = Math.max(this.#last, step);
    return step === event.step ? event : { ...event, step };
  }
}

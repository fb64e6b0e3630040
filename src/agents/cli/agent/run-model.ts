import type { AgentEvent } from '../../../events/vocabulary.ts';

/**
 * Gives the model of a run one name: the requested one, unless the program reports another model. A name with and one
 * without a provider name the same model.
 */
export class RunModel {
  #name: string | undefined;

  constructor(requested: string | undefined) {
    this.#name = requested;
  }

  /** Sets the name of the model in an event of the run, and in usage that names none. */
  name(event: AgentEvent): void {
    if (event.type !== 'session' && event.type !== 'step_start' && event.type !== 'usage') return;
    const { model } = event;
    if (model !== undefined) event.model = this.#name !== undefined && isSame(model, this.#name) ? this.#name : model;
    if (event.type === 'session' || event.type === 'step_start') this.#name = event.model ?? this.#name;
    else if (model === undefined && event.agentId === undefined && this.#name !== undefined) event.model = this.#name;
  }
}

function isSame(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

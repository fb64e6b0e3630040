import type { AgentEvent } from '../vocabulary.ts';

/** A piece of a model's output: what the model emits after the first result of a call in it begins another one. */
export class OutlinedBlock {
  /** Its streams that may continue, by kind and id. */
  readonly streams = new Map<string, AgentEvent>();
  #openCalls = 0;
  #isAnswered = false;
  #answer: readonly AgentEvent[] = [];

  /** Whether a call in it has a result. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether a call in it waits for its result. */
  get isOpen(): boolean {
    return this.#openCalls > 0;
  }

  /** The call and the result that answered it, while other calls in it are open: their results answer nothing more. */
  get answer(): readonly AgentEvent[] {
    return this.#answer;
  }

  openCall(): void {
    this.#openCalls++;
  }

  closeCall(): void {
    this.#openCalls--;
    if (this.#openCalls === 0) this.#answer = [];
  }

  /** Records the result of a closed call; only the first result counts. */
  answerWith(call: AgentEvent, result: AgentEvent): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.streams.clear();
    if (this.isOpen) this.#answer = [call, result];
  }
}

/** Messages that are sent when the turn has ended, in their order. A person may edit them while they wait. */
export class MessageQueue {
  #texts: string[] = [];
  /** Whether nothing is delivered for now: the person edits. */
  isPaused = false;

  get texts(): readonly string[] {
    return this.#texts;
  }

  add(text: string): void {
    this.#texts.push(text);
  }

  /** Takes the first message; undefined when there is none, or while the person edits. */
  take(): string | undefined {
    return this.isPaused ? undefined : this.#texts.shift();
  }

  /** Takes a message out. */
  remove(index: number): string | undefined {
    return this.#texts.splice(index, 1)[0];
  }

  /** Replaces all messages, after they were edited. */
  replace(texts: readonly string[]): void {
    this.#texts = [...texts];
  }
}

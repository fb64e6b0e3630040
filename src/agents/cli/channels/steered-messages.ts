interface SteeredMessage {
  /** The id of the message at the host; undefined for words of the channel itself. */
  readonly id: string | undefined;
  readonly text: string;
}

/** Tracks steered messages that have not reached the model, for programs that repeat the messages it reads. */
export class SteeredMessages {
  readonly #sent: SteeredMessage[] = [];

  get size(): number {
    return this.#sent.length;
  }

  add(message: SteeredMessage): void {
    this.#sent.push(message);
  }

  /** Removes the message that reached the model, by its id or else by its text, and returns its id. */
  takeRead({ id, text }: SteeredMessage): string | undefined {
    const byId = this.#sent.findIndex(sent => sent.id !== undefined && sent.id === id);
    const index = byId >= 0 ? byId : this.#sent.findIndex(sent => sent.text === text);
    return index < 0 ? undefined : this.#sent.splice(index, 1)[0]?.id;
  }

  /** Removes the messages that never reached the model and returns their ids. */
  takeUnread(): string[] {
    return this.#sent.splice(0).flatMap(({ id }) => id ?? []);
  }
}

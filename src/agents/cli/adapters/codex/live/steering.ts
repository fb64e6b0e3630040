interface SentMessage {
  readonly text: string;
  /** The id of the message at the host; undefined for words that come with an answer. */
  readonly messageId: string | undefined;
}

/** The messages that were sent into a turn and have not reached the model. */
export class Steering {
  readonly #sent: SentMessage[] = [];

  add(sent: SentMessage): void {
    this.#sent.push(sent);
  }

  /** Removes the message that reached the model and returns it. */
  takeDelivered({ clientId, text }: { clientId: string | undefined; text: string }): SentMessage | undefined {
    const byId = this.#sent.findIndex(({ messageId }) => messageId !== undefined && messageId === clientId);
    const index = byId >= 0 ? byId : this.#sent.findIndex(sent => sent.text === text);
    return index < 0 ? undefined : this.#sent.splice(index, 1)[0];
  }

  /** Removes the messages that never reached the model and returns their ids. */
  takeUnsent(): string[] {
    return this.#sent.splice(0).flatMap(({ messageId }) => messageId ?? []);
  }
}

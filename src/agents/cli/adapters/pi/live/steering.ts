/** The messages that were sent into a turn of Pi and have not reached the model. */
export class PiSteering {
  readonly #sent: { readonly id: string; readonly text: string; isQueued: boolean }[] = [];
  #isCleared = false;

  get size(): number {
    return this.#sent.length;
  }

  add(id: string, text: string): void {
    this.#sent.push({ id, text, isQueued: false });
  }

  /** The program has put a message into its queue. */
  queued(id: string): void {
    const sent = this.#sent.find(other => other.id === id);
    if (sent !== undefined) sent.isQueued = true;
  }

  /** The program has emptied its queue. */
  cleared(): void {
    this.#isCleared = true;
  }

  /** Removes the message with this text and returns its id. */
  heard(text: string): string | undefined {
    const index = this.#sent.findIndex(sent => sent.text === text);
    return index < 0 ? undefined : this.#sent.splice(index, 1)[0]?.id;
  }

  /**
   * Removes all messages. `kept` are in the queue of the program, which reads them with the next prompt; `unsent` are
   * not.
   */
  take(): { readonly kept: readonly string[]; readonly unsent: readonly string[] } {
    const sent = this.#sent.splice(0);
    const isKept = ({ isQueued }: { isQueued: boolean }) => isQueued && !this.#isCleared;
    const kept = sent.filter(isKept).map(({ id }) => id);
    const unsent = sent.filter(message => !isKept(message)).map(({ id }) => id);
    this.#isCleared = false;
    return { kept, unsent };
  }
}

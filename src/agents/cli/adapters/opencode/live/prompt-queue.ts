interface SentPrompt {
  /** The id of a steered message; absent for the prompt of the turn. */
  readonly steerId: string | undefined;
  /** The program's message for it, once reported. */
  messageId: string | undefined;
  isTaken: boolean;
  hasFailed: boolean;
}

/**
 * The prompts that were sent in one turn. The program reports the message of each, in order, and then the answer that
 * has read it: only then the session's silence means the end of the turn.
 */
export class PromptQueue {
  readonly #prompts: SentPrompt[] = [];

  /** Registers a prompt; `fail` is called when the program refuses it. */
  add(steerId?: string): { readonly isFirst: boolean; readonly fail: () => void } {
    const prompt: SentPrompt = { steerId, messageId: undefined, isTaken: false, hasFailed: false };
    const isFirst = this.#prompts.push(prompt) === 1;
    return { isFirst, fail: () => (prompt.hasFailed = true) };
  }

  /** Assigns a user message of the session to the oldest prompt without one. */
  seen(messageId: string): void {
    if (this.#prompts.some(prompt => prompt.messageId === messageId)) return;
    const prompt = this.#prompts.find(({ messageId: known, hasFailed }) => known === undefined && !hasFailed);
    if (prompt !== undefined) prompt.messageId = messageId;
  }

  /** Registers an answer to a message, which has read all prompts up to it. Returns their steered message ids. */
  taken(messageId: string): string[] {
    const last = this.#prompts.findIndex(prompt => prompt.messageId === messageId);
    return this.#prompts.slice(0, last + 1).flatMap(prompt => {
      if (prompt.isTaken) return [];
      prompt.isTaken = true;
      return prompt.steerId ?? [];
    });
  }

  /** Whether the first prompt has been read. */
  get hasBegun(): boolean {
    return this.#prompts[0]?.isTaken === true;
  }

  /** Whether a prompt that the program accepted has not been read. */
  get isWaiting(): boolean {
    return this.#prompts.some(prompt => !prompt.isTaken && !prompt.hasFailed);
  }

  /** The ids of steered messages that were not read. */
  get unsent(): string[] {
    return this.#prompts.flatMap(({ isTaken, steerId }) => (isTaken ? [] : (steerId ?? [])));
  }
}

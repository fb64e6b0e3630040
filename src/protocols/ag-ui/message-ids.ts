/** Returns the id of a text, unique in its thread: agents may use an id again in another run. */
export function textMessageId(runId: string, id: string): string {
  return id.startsWith(`${runId}/`) ? id : `${runId}/${id}`;
}

/** Returns the id of reasoning, which may have the id of a text. */
export function reasoningMessageId(runId: string, id: string): string {
  return `${textMessageId(runId, id)}:reasoning`;
}

/** Returns the id of the message with the result of a call. */
export function resultMessageId(toolCallId: string): string {
  return `${toolCallId}:result`;
}

/** Returns the id of the message that shows the tasks of a run. */
export function tasksMessageId(runId: string): string {
  return `${runId}:tasks`;
}

/** Numbers the parts of texts between which a person spoke, as the conversation does: `t`, `t#2`, `t#3`. */
export class TextParts {
  readonly #counts = new Map<string, number>();
  #open = new Set<string>();

  /** Returns the id of the part that a fragment of a text belongs to. */
  take(id: string): string {
    if (!this.#open.has(id)) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#open.add(id);
    const count = this.#counts.get(id) ?? 1;
    return count === 1 ? id : `${id}#${count}`;
  }

  /** Ends the parts: what follows of their texts is another one. */
  end(): void {
    this.#open = new Set();
  }
}

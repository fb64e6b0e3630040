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

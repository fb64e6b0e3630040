import type { LoggedEvent } from '../events/index.ts';
import { type Conversation, type ConversationMessage, getChunk, getMessage, getRun } from '../graph/index.ts';

/** The conversation before an event: its end, and how many messages it has. */
interface Before {
  readonly conversation: Conversation;
  readonly tip: string | undefined;
  readonly messages: number;
}

/** The message an event is in, by the conversation after it; undefined when it is in none, and shown on every branch. */
export function ownerOf(event: LoggedEvent, before: Before, after: Conversation): string | undefined {
  const { type, runId } = event;
  const known = getRun(before.conversation, runId);
  if (known !== undefined) return known.messageId;
  if (type === 'user') return newMessage(after, `${runId}:user`, before.messages);
  if (type === 'branch_selected' || type === 'collapsed' || type === 'abort_requested') return undefined;
  const run = getRun(after, runId);
  if (run !== undefined) return run.messageId;
  if (before.tip === undefined) return newMessage(after, `${runId}:beginning`, before.messages);
  return type === 'relay_resolved' ? undefined : before.tip;
}

/** The message on a branch that a message is, or is inside of. */
export function outermost(conversation: Conversation, messageId: string): string | undefined {
  let message = getMessage(conversation, messageId);
  while (message?.spawnedBy !== undefined) message = messageAround(conversation, message.spawnedBy);
  return message?.id;
}

function messageAround(conversation: Conversation, chunkId: string): ConversationMessage | undefined {
  const blockId = getChunk(conversation, chunkId)?.blockId ?? '';
  return getMessage(conversation, blockId.slice(0, blockId.lastIndexOf(':block:')));
}

/** The message that was made last, by the name its id is made from: a taken one got the next free number. */
function newMessage(conversation: Conversation, name: string, order: number): string | undefined {
  let message = getMessage(conversation, name);
  for (let number = 2; message !== undefined && message.order !== order; number++)
    message = getMessage(conversation, `${name}#${number}`);
  return message?.id;
}

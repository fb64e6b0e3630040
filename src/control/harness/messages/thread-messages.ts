import type { EventOf } from '../../../events/index.ts';
import {
  type Active,
  type Block,
  type Chunk,
  type Conversation,
  type ConversationMessage,
  defaultActive,
  getBlocks,
  getChunks,
  getMessage,
} from '../../../graph/index.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { reminderParts, userParts } from './message-content.ts';
import { roleOf } from './system-reminder.ts';
import { type AssistantPlace, assistantBlocks, assistantMessage } from './message-view.ts';

/**
 * Returns the messages of a branch, oldest first, in linear time. A run that failed before any output is a message
 * without content.
 */
export function threadMessages(
  conversation: Conversation,
  active: Active = defaultActive(conversation),
): HarnessMessage[] {
  const messages: HarnessMessage[] = [];
  for (const id of active.messages) {
    const message = getMessage(conversation, id);
    if (message !== undefined) messages.push(...messagesOf(conversation, message, messages.at(-1)?.createdAt));
  }
  return messages;
}

/**
 * The user message of a block, with the id that its sender chose; the result of a background subagent is a reminder.
 */
export function userMessage(conversation: Conversation, block: Block, before?: Date): HarnessMessage | undefined {
  const chunk = getChunks(conversation, block.id).find(({ event }) => event.type === 'user');
  if (chunk?.event.type !== 'user') return undefined;
  return newUserMessage(chunk.event, chunk.event.id ?? chunk.id, timeOf(chunk) ?? before ?? new Date(0));
}

/** Creates a user message. */
export function newUserMessage(
  { content, automatic }: Pick<EventOf<'user'>, 'content' | 'automatic'>,
  id: string,
  createdAt: Date,
): HarnessMessage {
  if (automatic === true) return { id, role: 'system', content: reminderParts(content), createdAt };
  return { id, role: typeof content === 'string' ? roleOf(content) : 'user', content: userParts(content), createdAt };
}

function* messagesOf(
  conversation: Conversation,
  { id, role }: ConversationMessage,
  before: Date | undefined,
): Generator<HarnessMessage> {
  let after = 0;
  const blocks = getBlocks(conversation, id);
  if (role === 'assistant') yield* present(conversation, { messageId: id, after }, before);
  for (const block of blocks) {
    if (block.role !== 'user') continue;
    const spoken = userMessage(conversation, block, before);
    if (spoken !== undefined) yield spoken;
    if (role === 'assistant') yield* present(conversation, { messageId: id, after: ++after }, spoken?.createdAt);
  }
}

/** Yields the message at a position when it has content or failed. */
function* present(
  conversation: Conversation,
  place: AssistantPlace,
  before: Date | undefined,
): Generator<HarnessMessage> {
  const message = assistantMessage(conversation, place, beginningOf(conversation, place) ?? before ?? new Date(0));
  if (message.content.length > 0 || message.stopReason === 'error') yield message;
}

/** When a message began: at its first text, its first call, or its error. */
function beginningOf(conversation: Conversation, place: AssistantPlace): Date | undefined {
  let failed: Date | undefined;
  for (const block of assistantBlocks(conversation, place))
    for (const chunk of getChunks(conversation, block.id)) {
      const { type } = chunk.event;
      if (speaks.has(type)) return timeOf(chunk);
      if (type === 'error') failed = timeOf(chunk);
    }
  return failed;
}

const speaks: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call', 'tool_result']);

function timeOf({ event }: Chunk): Date | undefined {
  return event.ts === undefined ? undefined : new Date(event.ts);
}

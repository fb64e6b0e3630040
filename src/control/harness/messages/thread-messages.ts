import type { EventOf } from '../../../events/vocabulary.ts';
import type { Block, Chunk, Message as ConversationMessage } from '../../../graph/conversation/record.ts';
import { type Conversation, createConversation, reduceConversation } from '../../../graph/conversation/conversation.ts';
import { defaultActive } from '../../../graph/conversation/active.ts';
import { getBlocks, getChunks, getMessage } from '../../../graph/conversation/queries.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { reminderParts, userParts } from './message-content.ts';
import { getRole } from '../../conversations/system-reminder.ts';
import { type AssistantPlace, assistantBlocks, assistantMessage } from './message-view.ts';
import type { EventLog } from '../../../log/event-log.ts';
import { readEvents } from '../../../log/read-events.ts';
import { readWindow } from '../../../log/window.ts';
import { readingFrom, threadReading } from '../../../projections/reading/thread-reading.ts';
import { readConversation } from '../../threads/thread-memory.ts';

/**
 * Returns the last messages of the active branch, oldest first, without those of `unread` conversation messages; all
 * without a limit. It takes as long as they are many. A run that failed before any output is a message without content.
 */
export function threadMessages(
  conversation: Conversation,
  { limit = Infinity, unread }: { readonly limit?: number | undefined; readonly unread?: ReadonlySet<string> } = {},
): HarnessMessage[] {
  const ids = defaultActive(conversation).messages.filter(id => unread?.has(id) !== true);
  const messages: HarnessMessage[] = [];
  for (const id of ids.slice(firstOfLast(conversation, ids, limit))) {
    const message = getMessage(conversation, id);
    if (message !== undefined) messages.push(...listMessages(conversation, message, messages.at(-1)?.createdAt));
  }
  return messages.slice(Math.max(0, messages.length - limit));
}

/** Returns the index of the message with which the last ones begin, so many or a few more. */
function firstOfLast(conversation: Conversation, ids: readonly string[], limit: number): number {
  if (limit === Infinity) return 0;
  let index = ids.length;
  for (let count = 0; index > 0 && count < limit; index--) {
    const message = getMessage(conversation, ids[index - 1] ?? '');
    if (message !== undefined) count += [...listMessages(conversation, message, undefined)].length;
  }
  return index;
}

/**
 * The user message of a block, with the id that its sender chose; the result of a background subagent is a reminder.
 */
export function userMessage(conversation: Conversation, block: Block, before?: Date): HarnessMessage | undefined {
  const chunk = getChunks(conversation, block.id).find(({ event }) => event.type === 'user');
  if (chunk?.event.type !== 'user') return undefined;
  return newUserMessage(chunk.event, chunk.event.id ?? chunk.id, getTime(chunk) ?? before ?? new Date(0));
}

/** Creates a user message. */
export function newUserMessage(
  { content, automatic }: Pick<EventOf<'user'>, 'content' | 'automatic'>,
  id: string,
  createdAt: Date,
): HarnessMessage {
  if (automatic === true) return { id, role: 'system', content: reminderParts(content), createdAt };
  return { id, role: typeof content === 'string' ? getRole(content) : 'user', content: userParts(content), createdAt };
}

function* listMessages(
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
  const message = assistantMessage(conversation, place, findBeginning(conversation, place) ?? before ?? new Date(0));
  if (message.content.length > 0 || message.stopReason === 'error') yield message;
}

/** When a message began: at its first text, its first call, or its error. */
function findBeginning(conversation: Conversation, place: AssistantPlace): Date | undefined {
  let failed: Date | undefined;
  for (const block of assistantBlocks(conversation, place))
    for (const chunk of getChunks(conversation, block.id)) {
      const { type } = chunk.event;
      if (speaks.has(type)) return getTime(chunk);
      if (type === 'error') failed = getTime(chunk);
    }
  return failed;
}

const speaks: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call', 'tool_result']);

function getTime({ event }: Chunk): Date | undefined {
  return event.ts === undefined ? undefined : new Date(event.ts);
}

/** About how many events are read at first for a limited number of messages, and at most. */
const firstEvents = 200;
const mostEvents = 5_000;

/** Reads the last messages of a thread from its log; none when it does not exist. With a limit it reads only its end. */
export async function messagesOfThread(log: EventLog, threadId: string, limit?: number): Promise<HarnessMessage[]> {
  if ((await log.getThread(threadId)) === undefined) return [];
  for (let events = firstEvents; limit !== undefined && events <= mostEvents; events *= 5) {
    const messages = await messagesAtEnd(log, threadId, { limit, events });
    if (messages !== undefined) return messages;
  }
  return threadMessages(await readConversation(log, threadId), { limit });
}

/** Reads the last messages from about so many events; undefined when they do not contain them whole. */
export async function messagesAtEnd(
  log: EventLog,
  threadId: string,
  { limit, events }: { readonly limit: number; readonly events: number },
): Promise<HarnessMessage[] | undefined> {
  const window = await readWindow(log, threadId, { limit: events });
  const begun = window.snapshot === undefined ? threadReading.initial : readingFrom(window.snapshot);
  const { conversation, before, isOutdated } = window.events.reduce(threadReading.step, begun);
  const messages = threadMessages(conversation, { limit, unread: new Set([...before.hidden, ...before.cut]) });
  const isWhole = !window.hasEarlier || (!isOutdated && messages.length >= limit);
  return isWhole ? messages : undefined;
}

/** Reads the first user message of a thread, and no further; null when none exists. */
export async function firstUserMessage(log: EventLog, threadId: string): Promise<HarnessMessage | null> {
  if ((await log.getThread(threadId)) === undefined) return null;
  for await (const event of readEvents(log, threadId)) {
    if (event.type !== 'user' || event.automatic === true) continue;
    const [message] = threadMessages(reduceConversation(createConversation(), event));
    if (message?.role === 'user') return message;
  }
  return null;
}

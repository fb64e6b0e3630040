import { createConversation, reduceConversation } from '../../../graph/conversation/conversation.ts';
import type { EventLog } from '../../../log/event-log.ts';
import { readEvents } from '../../../log/read-events.ts';
import { readWindow } from '../../../log/window.ts';
import { readingFrom, threadReading } from '../../../projections/reading/thread-reading.ts';
import { readConversation } from '../../threads/thread-memory.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { threadMessages } from './thread-messages.ts';

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

import { type EventLog, readEvents } from '../../../log/index.ts';
import { createConversation, reduceConversation } from '../../../graph/index.ts';
import { readConversation } from '../../thread-record.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { threadMessages } from './thread-messages.ts';

/** Returns the last messages; all without a limit. */
export function lastMessages(messages: HarnessMessage[], limit?: number): HarnessMessage[] {
  return limit === undefined ? messages : messages.slice(Math.max(0, messages.length - limit));
}

/** Reads the messages of a thread from its log; none when it does not exist. */
export async function messagesOfThread(log: EventLog, threadId: string): Promise<HarnessMessage[]> {
  if ((await log.getThread(threadId)) === undefined) return [];
  return threadMessages(await readConversation(log, threadId));
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

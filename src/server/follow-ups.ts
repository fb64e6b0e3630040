import { type EventLog, followUpPrefix as prefix, type Thread } from '../log/index.ts';
import * as z from 'zod';
import { type MessageBody, messageBody } from '../protocols/index.ts';

/** A message as it was sent, with the name of its sender. */
export interface SentMessage extends MessageBody {
  readonly by?: string | undefined;
}

const sentMessage = messageBody.extend({ by: z.string().optional() });

/** A message that waits until the runs of its thread ended. */
export interface FollowUp {
  readonly id: string;
  readonly message: SentMessage;
}

/** Notes the message in the thread's metadata, so that it survives the process. */
export async function markFollowUp(log: EventLog, threadId: string, id: string, message: SentMessage): Promise<void> {
  await log.updateThread(threadId, { metadata: { [prefix + id]: message } });
}

/** The change of the thread's metadata that takes the note away; appended together with the message. */
export function noFollowUp(id: string): Record<string, unknown> {
  return { [prefix + id]: null };
}

/** The messages that wait in a thread, oldest first: their ids rise with time. */
export function followUpsOf(thread: Thread): FollowUp[] {
  return Object.entries(thread.metadata)
    .flatMap(([key, value]) => {
      const parsed = key.startsWith(prefix) ? sentMessage.safeParse(value) : undefined;
      return parsed?.success ? [{ id: key.slice(prefix.length), message: parsed.data }] : [];
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

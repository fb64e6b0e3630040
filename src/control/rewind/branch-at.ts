import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';

/**
 * Branches a thread after one of its messages, on any of its branches: `at` is the id of the message or the seq of an
 * event; by default the newest. Throws `not_found` when the thread has no such message.
 */
export async function branchAt(log: EventLog, thread: Thread, at?: string): Promise<Thread> {
  const { id, title } = thread;
  const isSeq = at !== undefined && /^\d+$/.test(at) && Number(at) >= 1 && Number(at) <= thread.seq;
  const seq = at === undefined ? thread.seq : isSeq ? Number(at) : await findMessageEnd(log, thread, at);
  return log.branch(id, seq, title === undefined ? {} : { title });
}

/** Returns the seq of the last event of a message; throws `not_found` when the thread has no such message. */
export async function findMessageEnd(log: EventLog, { id, seq }: Thread, at: string): Promise<number> {
  let found: number | undefined;
  for await (const event of readEvents(log, id)) {
    const isOwn = event.type === 'user' ? `${event.runId}:user` === at : event.runId === at;
    if (isOwn) found = event.seq;
  }
  if (found !== undefined) return found;
  throw new SingletreeError(
    'not_found',
    `The thread "${id}" has no message "${at}". Expected the id of a message or a seq up to ${seq}: singletree show ${id} --json`,
  );
}

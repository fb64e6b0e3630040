import { SingletreeError } from '../../events/index.ts';
import { type EventLog, readEvents, type Thread } from '../../log/index.ts';

/**
 * Branches a thread after one of its messages, on any of its branches: `at` is the id of the message or the seq of an
 * event; by default the newest. Throws `not_found` when the thread has no such message.
 */
export async function branchAt(log: EventLog, thread: Thread, at?: string): Promise<Thread> {
  const { id, title } = thread;
  return log.branch(
    id,
    at === undefined ? thread.seq : await findSeq(log, thread, at),
    title === undefined ? {} : { title },
  );
}

/** Returns the seq of the last event of a message. */
async function findSeq(log: EventLog, { id, seq }: Thread, at: string): Promise<number> {
  if (/^\d+$/.test(at) && Number(at) >= 1 && Number(at) <= seq) return Number(at);
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

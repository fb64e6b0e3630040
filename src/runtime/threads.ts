import { SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';

/** A thread of the resource; one of another resource is not found. */
export async function ownThread(log: EventLog, threadId: string, resourceId: string): Promise<Thread> {
  const thread = await log.getThread(threadId);
  if (thread?.resourceId === resourceId) return thread;
  throw new SingletreeError('thread_not_found', `There is no thread "${threadId}" of "${resourceId}".`, {
    details: { threadId, resourceId },
  });
}

/** A thread of the resource, made when there is none of that id. */
export async function enterThread(log: EventLog, threadId: string, resourceId: string): Promise<Thread> {
  if ((await log.getThread(threadId)) === undefined)
    try {
      return await log.createThread({ id: threadId, resourceId });
    } catch (error) {
      if (!SingletreeError.is(error, 'thread_exists')) throw error;
    }
  return ownThread(log, threadId, resourceId);
}

import { openRunsOf } from '../../control/supervision/open-runs.ts';
import type { Thread } from '../../log/index.ts';
import { isOwnEvent } from '../../log/own-events.ts';
import type { ThreadDigests } from '../../server/thread-digests.ts';

/**
 * Returns the agent of the newest turn of a thread, or the one it was created for; undefined when there is none. A turn
 * that was imported does not count: it must not choose which program runs.
 */
export async function threadAgent(digests: Pick<ThreadDigests, 'of'>, thread: Thread): Promise<string | undefined> {
  const [open] = openRunsOf(thread);
  if (open !== undefined) return open.agentId;
  const { agentId: newest, runSeq = 0 } = await digests.of(thread);
  if (newest !== undefined && isOwnEvent(thread, runSeq)) return newest;
  const { agentId } = thread.metadata;
  return typeof agentId === 'string' ? agentId : undefined;
}

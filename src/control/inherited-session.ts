import type { Session } from '../agents/contract/host.ts';
import type { EventLog } from '../log/event-log.ts';

/**
 * Returns how a thread can continue in a session that was last used at `seq`. One from before the thread branched off
 * belongs to the other thread: it is forked, or not used when that thread went on, because it would know more.
 */
export async function ownSession(
  log: EventLog,
  threadId: string,
  { session, seq }: { readonly session: Session; readonly seq: number },
): Promise<Session | undefined> {
  for (let id = threadId; ; ) {
    const from = (await log.getThread(id))?.branchedFrom;
    if (from === undefined || seq > from.seq) return id === threadId ? session : { ...session, fork: true };
    const parent = await log.getThread(from.threadId);
    if (parent === undefined || parent.seq > from.seq) return undefined;
    id = parent.id;
  }
}

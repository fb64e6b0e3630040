import { threadEvents } from '../control/thread-events.ts';
import { type EventOf, SingletreeError } from '../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../log/index.ts';
import { pendingApprovalsOf } from './pending-approvals.ts';

interface FoundRelay {
  readonly thread: Thread;
  readonly relay: EventOf<'relay'>;
  /** How it was decided: by somebody, by the time, or because its run ended. */
  readonly closed: EventOf<'relay_resolved'>['outcome'] | undefined;
}

interface Asked {
  readonly id: string;
  readonly resourceId: string;
  /** The thread it is of, when that is known. */
  readonly threadId: string | undefined;
}

/**
 * The relay that waits for an answer. One that waits is in a thread with an open run; only for an id that is not
 * there all threads are read, to say why: `relay_not_found`, `relay_foreign`, `relay_expired` or `relay_resolved`.
 */
export async function findRelay(log: EventLog, asked: Asked): Promise<FoundRelay> {
  const { id, resourceId } = asked;
  const details = { relayId: id };
  const found = (await findOpen(log, asked)) ?? (await findClosed(log, id));
  if (found === undefined)
    throw new SingletreeError('relay_not_found', `Nobody asked for the approval "${id}".`, { details });
  if (found.thread.resourceId !== resourceId)
    throw new SingletreeError('relay_foreign', `The approval "${id}" is not one of "${resourceId}".`, { details });
  if (found.closed === 'expired') throw relayExpired(id);
  if (found.closed === undefined) return found;
  const why = found.closed === 'cancelled' ? 'its run ended' : 'the first answer counts';
  throw new SingletreeError('relay_resolved', `The approval "${id}" was decided before: ${why}.`, { details });
}

/** The error for an answer that comes too late. */
export function relayExpired(id: string): SingletreeError {
  return new SingletreeError('relay_expired', `The time to answer "${id}" is over: the agent was told so.`, {
    details: { relayId: id },
  });
}

/** Only what an open run waits for: a branch of a thread has the relay in its history too. */
async function findOpen(log: EventLog, { id, threadId, resourceId }: Asked): Promise<FoundRelay | undefined> {
  const known = threadId === undefined ? undefined : await log.getThread(threadId);
  if (known !== undefined) return findInThread(log, known, id);
  for await (const thread of allThreads(log, { resourceId, openRuns: true })) {
    const pending = await pendingApprovalsOf(log, thread, Number.NEGATIVE_INFINITY);
    if (pending.some(approval => approval.id === id)) return findInThread(log, thread, id);
  }
  return undefined;
}

async function findClosed(log: EventLog, id: string): Promise<FoundRelay | undefined> {
  for await (const thread of allThreads(log)) {
    const found = await findInThread(log, thread, id);
    if (found !== undefined) return { ...found, closed: found.closed ?? 'cancelled' };
  }
  return undefined;
}

async function findInThread(log: EventLog, thread: Thread, id: string): Promise<FoundRelay | undefined> {
  let relay: EventOf<'relay'> | undefined;
  let closed: FoundRelay['closed'];
  for await (const event of threadEvents(log, thread.id)) {
    if (event.type === 'relay' && event.id === id) relay = event;
    if (event.type === 'relay_resolved' && event.relayId === id) closed ??= event.outcome;
  }
  return relay && { thread, relay, closed };
}

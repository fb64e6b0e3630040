import { type EventOf, SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import type { RelayEntry } from '../projections/relay-book.ts';
import type { RelayBooks } from '../control/supervision/relay-books.ts';

interface FoundRelay {
  readonly thread: Thread;
  readonly relay: EventOf<'relay'>;
}

interface Found {
  readonly thread: Thread;
  readonly entry: RelayEntry;
}

interface Sources {
  readonly log: EventLog;
  readonly books: RelayBooks;
}

interface Asked {
  readonly id: string;
  readonly resourceId: string;
}

/** How many threads, those that changed last, are read to explain why a relay is not pending. */
const explainedThreads = 50;

/**
 * Finds a pending relay by its note. Throws `relay_foreign` for one of another resource, `relay_expired` or
 * `relay_resolved` for one of the threads that changed last which is not pending, and `relay_not_found` for others.
 */
export async function findRelay(sources: Sources, { id, resourceId }: Asked): Promise<FoundRelay> {
  const details = { relayId: id };
  const found = (await sources.books.find(id)) ?? (await findClosed(sources, id));
  if (found === undefined)
    throw new SingletreeError('relay_not_found', `Nobody asked for the approval "${id}".`, { details });
  const { thread, entry } = found;
  if (thread.resourceId !== resourceId)
    throw new SingletreeError('relay_foreign', `The approval "${id}" is not one of "${resourceId}".`, { details });
  if (entry.status === 'pending') return { thread, relay: entry.relay };
  if (entry.reason === 'expired')
    throw new SingletreeError('relay_expired', `The time to answer "${id}" is over: the agent continues without it.`, {
      details,
    });
  const why = entry.status === 'closed' ? 'its run ended' : 'the first answer counts';
  throw new SingletreeError('relay_resolved', `The approval "${id}" was decided before: ${why}.`, { details });
}

/** A relay in a thread without an open run cannot be answered any more. */
async function findClosed({ log, books }: Sources, id: string): Promise<Found | undefined> {
  for (const thread of await log.listThreads({ limit: explainedThreads })) {
    const entry = (await books.of(thread)).get(id);
    if (entry === undefined) continue;
    return { thread, entry: entry.status === 'pending' ? { ...entry, status: 'closed', reason: 'run_ended' } : entry };
  }
  return undefined;
}

import type { RelayBooks, ThreadRelay } from '../control/supervision/relay-books.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog } from '../log/event-log.ts';

interface Sources {
  readonly log: EventLog;
  readonly books: RelayBooks;
}

/** How many threads, those that changed last, are searched for a relay that is not pending any more. */
const searchedThreads = 50;

/**
 * Finds a relay in the threads in which one is open, else in those that changed last. Throws `relay_foreign` for one of
 * another resource, and `relay_not_found`.
 */
export async function findRelay(
  sources: Sources,
  { id, resourceId }: { readonly id: string; readonly resourceId: string },
): Promise<ThreadRelay> {
  const details = { relayId: id };
  const found = (await sources.books.find(id)) ?? (await findClosed(sources, id));
  if (found === undefined)
    throw new SingletreeError('relay_not_found', `Nobody asked for the approval "${id}".`, { details });
  if (found.thread.resourceId !== resourceId)
    throw new SingletreeError('relay_foreign', `The approval "${id}" is not one of "${resourceId}".`, { details });
  return found;
}

async function findClosed({ log, books }: Sources, id: string): Promise<ThreadRelay | undefined> {
  for (const thread of await log.listThreads({ limit: searchedThreads })) {
    const entry = (await books.of(thread)).get(id);
    if (entry !== undefined) return { thread, entry };
  }
  return undefined;
}

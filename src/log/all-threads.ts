import type { EventLog, Thread, ThreadFilter } from './event-log.ts';

const pageSize = 200;

/** Yields the threads that a filter selects, newest first, page by page. */
export async function* allThreads(
  log: EventLog,
  { after: first, ...filter }: Omit<ThreadFilter, 'limit'> = {},
): AsyncGenerator<Thread> {
  for (let after = first; ; ) {
    const page = await log.listThreads({ ...filter, limit: pageSize, ...(after && { after }) });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1);
  }
}

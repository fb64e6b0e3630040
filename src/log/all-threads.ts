import type { EventLog, Thread, ThreadFilter } from './event-log.ts';
import { defined } from '../events/defined.ts';

const pageSize = 200;

export interface AllThreadsOptions {
  readonly resourceId?: string | undefined;
  /** Only threads that come after this one in the listing. */
  readonly after?: Thread | undefined;
  /** Only threads with an open run. */
  readonly openRuns?: boolean;
  /** Only threads with a noted relay. */
  readonly pendingRelays?: boolean;
  /** Only threads with a stored message. */
  readonly followUps?: boolean;
}

/** Yields the threads that the options select, newest first, page by page. */
export async function* allThreads(
  log: EventLog,
  { resourceId, after: first, ...notes }: AllThreadsOptions = {},
): AsyncGenerator<Thread> {
  const filter: ThreadFilter = { limit: pageSize, ...notes, ...defined({ resourceId }) };
  for (let after = first; ; ) {
    const page = await log.listThreads({ ...filter, ...(after && { after }) });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1);
  }
}

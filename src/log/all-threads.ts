import type { EventLog, Thread, ThreadFilter } from './event-log.ts';
import type { OpenKind } from './open-things.ts';
import { defined } from '../base/defined.ts';

/** Stores sort all threads in which something is open for every page of them: such pages are larger. */
const pageSizes = { any: 200, open: 1000 };

export interface AllThreadsOptions {
  readonly resourceId?: string | undefined;
  /** Only threads listed after this one. */
  readonly after?: Thread | undefined;
  /** Only threads in which something of this kind is open. */
  readonly open?: OpenKind;
}

/** Yields the threads that the options select, newest first, page by page. */
export async function* allThreads(
  log: EventLog,
  { resourceId, after: first, open }: AllThreadsOptions = {},
): AsyncGenerator<Thread> {
  const pageSize = open === undefined ? pageSizes.any : pageSizes.open;
  const filter: ThreadFilter = { limit: pageSize, ...defined({ resourceId, open }) };
  for (let after = first; ; ) {
    const page = await log.listThreads({ ...filter, ...(after && { after }) });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1);
  }
}

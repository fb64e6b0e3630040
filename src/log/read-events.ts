import type { LoggedEvent } from '../events/index.ts';
import type { EventLog } from './event-log.ts';
import { pageBytes } from './event-size.ts';

const pageSize = 1000;

/** Yields the events of a thread after a seq, page by page. */
export async function* readEvents(log: EventLog, threadId: string, start = 0): AsyncGenerator<LoggedEvent> {
  for (let after = start; ; ) {
    const page = await log.read(threadId, { after, limit: pageSize, maxBytes: pageBytes });
    yield* page;
    if (page.length === 0) return;
    after = page.at(-1)?.seq ?? after;
  }
}

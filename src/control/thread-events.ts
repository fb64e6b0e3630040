import type { LoggedEvent } from '../events/index.ts';
import type { EventLog } from '../log/index.ts';

const pageSize = 1000;

/** All events of a thread, page by page. */
export async function* threadEvents(log: EventLog, threadId: string): AsyncGenerator<LoggedEvent> {
  for (let after = 0; ; ) {
    const page = await log.read(threadId, { after, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.seq ?? after;
  }
}

import type { LoggedEvent } from '../events/vocabulary.ts';
import type { EventLog } from './event-log.ts';
import { pageBytes } from './event-size.ts';
import { nextTurn } from './next-turn.ts';

const pageSize = 500;

/** Yields the events of a thread after a seq, page by page; others get their turn after each page. */
export async function* readEvents(log: EventLog, threadId: string, start = 0): AsyncGenerator<LoggedEvent> {
  for await (const page of readPages(log, threadId, start)) yield* page;
}

/** Yields the same events in their pages: for long threads, where a promise for each event takes longer than reading it. */
export async function* readPages(log: EventLog, threadId: string, start = 0): AsyncGenerator<readonly LoggedEvent[]> {
  let after = start;
  for (let pages = 0; ; pages++) {
    if (pages > 1) await nextTurn();
    const page = await log.read(threadId, { after, limit: pageSize, maxBytes: pageBytes });
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.seq ?? after;
  }
}

/** Yields the events of a thread between two seqs in pages, the newest page first; those of a page are in order. */
export async function* readPagesBackwards(
  log: EventLog,
  threadId: string,
  { after = 0, before }: { readonly after?: number; readonly before: number },
): AsyncGenerator<LoggedEvent[]> {
  for (let end = before; end > after + 1; end -= pageSize)
    yield await log.read(threadId, { after: Math.max(after, end - 1 - pageSize), before: end, limit: pageSize });
}

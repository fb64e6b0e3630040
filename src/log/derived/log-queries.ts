import { ThreadOutline } from '../../events/outline/thread-outline.ts';
import { allThreads } from '../all-threads.ts';
import type { EventLog, Thread } from '../event-log.ts';
import { readEvents } from '../read-events.ts';
import { checkSearch, hitIn, type SearchHit, type SearchPage, type SearchQuery } from './search.ts';
import { type SearchedText, titleText } from './searched-text.ts';
import { ThreadDerivation } from './thread-derivation.ts';
import {
  addCall,
  checkUsageQuery,
  isInQuery,
  toStoredCalls,
  totalsOf,
  type UsageQuery,
  type UsageRow,
  type GroupedUsage,
} from './usage-totals.ts';
import { splitWords } from './words.ts';

/** Finds messages and titles; a store without `search` is read whole. */
export async function searchLog(log: EventLog, query: SearchQuery): Promise<SearchPage> {
  if (log.search !== undefined) return log.search(query);
  const { words, resourceId, limit, before } = checkSearch(query);
  const skipped = Number.MAX_SAFE_INTEGER - before;
  const hits: SearchHit[] = [];
  if (words.length === 0) return { hits, isComplete: true };
  for await (const thread of allThreads(log, { resourceId })) {
    for (const text of await listTexts(log, thread))
      if (hasWords(text.text, words)) hits.push(toHit(thread, text, words));
    if (hits.length > skipped + limit) break;
  }
  const next = hits.length > skipped + limit && { next: String(before - limit) };
  return { hits: hits.slice(skipped, skipped + limit), ...next, isComplete: true };
}

/** Adds up what model calls used; a store without `usage` is read whole. */
export async function readUsage(log: EventLog, query: UsageQuery = {}): Promise<GroupedUsage[]> {
  if (log.usage !== undefined) return log.usage(query);
  checkUsageQuery(query);
  const rows = new Map<string, UsageRow>();
  for await (const thread of allThreads(log, { resourceId: query.resourceId })) {
    const derivation = new ThreadDerivation();
    const { branchedFrom, importedSeq = 0 } = thread;
    for await (const event of readEvents(log, thread.id)) {
      const { used } = derivation.take([event], () => 0);
      if (event.seq <= (branchedFrom?.seq ?? 0)) continue;
      for (const call of toStoredCalls(used, event.seq <= importedSeq)) addCall(rows, thread, call);
    }
  }
  return totalsOf(
    [...rows.values()].filter(row => isInQuery(row, query)),
    query,
  );
}

/** The seq of the first event of a message; a thread of a store without an index is read up to it. */
export async function seqOfMessage(log: EventLog, threadId: string, messageId: string): Promise<number | undefined> {
  if (log.seqOfMessage !== undefined) return log.seqOfMessage(threadId, messageId);
  let found: number | undefined;
  const outline = new ThreadOutline(undefined, (id, seq) => {
    if (id === messageId) found ??= seq;
  });
  for await (const event of readEvents(log, threadId)) {
    outline.take(event);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The texts of a thread, the newest first, then its title. */
async function listTexts(log: EventLog, { id, title, updatedAt, branchedFrom }: Thread): Promise<SearchedText[]> {
  const texts: SearchedText[] = title === undefined ? [] : [titleText(title, updatedAt)];
  const derivation = new ThreadDerivation();
  const isShared = branchedFrom !== undefined && (await log.getThread(branchedFrom.threadId)) !== undefined;
  const start = isShared ? branchedFrom.seq : 0;
  for await (const event of readEvents(log, id))
    texts.push(...derivation.take([event], () => 0).texts.filter(({ seq }) => seq > start));
  return texts.toReversed();
}

/** Whether a text has all of the words. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const own = new Set(splitWords(text));
  return words.every(word => own.has(word));
}

function toHit(thread: Thread, { seq, messageId, text }: SearchedText, words: readonly string[]): SearchHit {
  return hitIn(thread, { order: 0, seq, messageId }, text, words);
}

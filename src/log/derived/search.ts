import { optionsCheck } from '../../base/options/check-options.ts';
import { field, name, text } from '../../base/options/option-fields.ts';
import { buildSnippet, splitWords } from './words.ts';
import { defined } from '../../base/defined.ts';

/** A query for messages and titles. */
export interface SearchQuery {
  /** A text is found when it has all of these words, in upper or lower case. */
  readonly text: string;
  /** Only threads of this resource. */
  readonly resourceId?: string;
  /** At most this many hits, 1 to 100; 20 when absent. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** A title or a message that has the words. */
export interface SearchHit {
  readonly threadId: string;
  readonly resourceId: string;
  /** The title of the thread. */
  readonly title?: string;
  /** The message that has the words, and the seq of its text; absent when the title has them. */
  readonly messageId?: string;
  readonly seq?: number;
  /** A piece of the text around the first word. */
  readonly snippet: string;
}

/** Hits, the newest text first, by the times of events: of an import those of its source. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Where the next page begins, when there may be more. */
  readonly next?: string;
  /** Whether every text of the log was searched; false while many events are not indexed yet. */
  readonly isComplete: boolean;
}

/** The part of the log that is not indexed yet. */
export interface IndexRest {
  /** How many threads are not indexed completely. */
  readonly threads: number;
  /** Whether some of it can be indexed now: false when the rest is damaged, or another process holds the lock. */
  readonly hasMore: boolean;
}

/** A query that was checked. */
export interface CheckedSearch {
  readonly words: readonly string[];
  readonly resourceId: string | undefined;
  readonly limit: number;
  /** Only texts whose order is before this one. */
  readonly before: number;
}

const checkFields = optionsCheck<SearchQuery>('search')(() => ({
  text: text(),
  resourceId: name().optional(),
  limit: field(
    value => Number.isInteger(value) && isWithin(value as number, 1, 100),
    'a number from 1 to 100',
  ).optional(),
  after: field(value => Number.isSafeInteger(Number(value)), 'the `next` of a page').optional(),
}));

/** A query with its defaults; throws `invalid_argument`. */
export function checkSearch(query: SearchQuery): CheckedSearch {
  checkFields(query);
  const { resourceId, limit = 20, after } = query;
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after);
  return { words: splitWords(query.text), resourceId, limit, before };
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** The place of a stored text: its place in the order of all by time, and its events; a title has the seq 0. */
export interface TextPlace {
  readonly order: number;
  readonly seq: number;
  readonly messageId: string;
}

/** The hit in one thread that has the text. */
export function hitIn(
  thread: { readonly id: string; readonly resourceId: string; readonly title?: string },
  { seq, messageId }: TextPlace,
  content: string,
  words: readonly string[],
): SearchHit {
  const { id: threadId, resourceId, title } = thread;
  return {
    threadId,
    resourceId,
    ...defined({ title }),
    ...(seq > 0 && { messageId, seq }),
    snippet: buildSnippet(content, words),
  };
}

import type { OutlineSnapshot } from '../events/outline/outline-snapshot.ts';
import type { IndexRest, SearchPage, SearchQuery } from './derived/search.ts';
import type { GroupedUsage, UsageQuery } from './derived/usage-totals.ts';

/**
 * What a store derives from its events, to find things without reading whole threads. It follows the appends; nothing in
 * it is a fact of its own, except that usage stays counted after its thread was deleted.
 */
export interface EventIndex {
  /**
   * The newest outline that is stored of a thread, at or before a seq; undefined when there is none. There is one at
   * least every few hundred events: a reading further after it, or without one, shows nothing of what began earlier.
   */
  outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined>;

  /** The seq of the first event of a message; undefined when the thread has no such message. */
  seqOfMessage(threadId: string, messageId: string): Promise<number | undefined>;

  /**
   * Finds messages and titles by their words, as soon as they are complete: when the `append` that completes a text
   * resolves. A text is found in the thread it was appended to; once that is deleted, in the branches that share it.
   */
  search(query: SearchQuery): Promise<SearchPage>;

  /** Indexes some of what is stored and not indexed yet, as `search` does before it searches. Never rejects. */
  indexSome(): Promise<IndexRest>;

  /**
   * What model calls used, over all threads. A call counts once, in the resource of the thread it was appended to, and
   * stays counted when the thread is deleted; what imported events report counts apart.
   */
  usage(query?: UsageQuery): Promise<GroupedUsage[]>;
}

import type { OutlineSnapshot } from '../events/outline/outline-snapshot.ts';
import type { IndexRest, SearchPage, SearchQuery } from './derived/search.ts';
import type { GroupedUsage, UsageQuery } from './derived/usage-totals.ts';

/**
 * The lookups that a store derives from its events, so that callers need not read whole threads. The index follows the
 * appends and holds no data that the events do not have, except the usage of deleted threads, which stays counted.
 */
export interface EventIndex {
  /**
   * Returns the newest stored outline of a thread at or before a seq; undefined when none is stored. A thread has one
   * at least every few hundred events: a reading further after it, or without one, shows nothing that began earlier.
   */
  outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined>;

  /** The seq of the first event of a message; undefined when the thread has no such message. */
  seqOfMessage(threadId: string, messageId: string): Promise<number | undefined>;

  /**
   * Finds messages and titles by their words, as soon as they are complete: when the `append` that completes a text
   * resolves. A text is found in the thread it was appended to; once that is deleted, in the branches that share it.
   */
  search(query: SearchQuery): Promise<SearchPage>;

  /** Indexes some stored events that are not indexed yet, as `search` does before it searches. Never rejects. */
  indexSome(): Promise<IndexRest>;

  /**
   * What model calls used, over all threads. A call counts once, in the resource of the thread it was appended to, and
   * stays counted when the thread is deleted; what imported events report counts apart.
   */
  usage(query?: UsageQuery): Promise<GroupedUsage[]>;
}

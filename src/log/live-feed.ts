/** A notification about a topic: its newest seq, and the stored texts from `firstSeq` on when the feed sends them. */
export interface LiveNews {
  readonly lastSeq: number;
  readonly firstSeq?: number;
  readonly texts?: readonly string[];
}

/**
 * Carries the news of appends from process to process; the store stays the truth. News may be late, doubled, out of
 * order or lost: a reader takes texts only when they continue what it has without a gap, else it reads the store.
 * A topic stands for one thread: an id that is used again after a deletion is another topic.
 */
export interface LiveFeed {
  /** Reports events that were stored, in order of seq for each topic. Never throws, and never waits. */
  publish(topic: string, firstSeq: number, texts: readonly string[]): void;
  /** Reports that the thread of a topic was deleted, as news that may have been lost. Never throws, and never waits. */
  publishDeletion(topic: string): void;
  /**
   * Calls back with the news of a topic, also its own; with `lastSeq` of `Number.MAX_SAFE_INTEGER` when news may have
   * been lost. Returns an unsubscribe function.
   */
  subscribe(topic: string, listener: (news: LiveNews) => void): () => void;
  /** Ends all subscriptions. May be called twice. */
  close(): Promise<void>;
}

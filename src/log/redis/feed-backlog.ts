import type { LiveNews } from '../live-feed.ts';

/** The most text that is queued; events beyond it are announced without their texts. */
const maxBytes = 4 * 1024 * 1024;
/** How long the texts of one entry are at most; longer ones are read from the store. */
const maxEntryBytes = 64 * 1024;
/** How many topics wait at most; the news of further ones are dropped: their readers find them in the store. */
const maxTopics = 10_000;

/** News that wait to be sent: one for each topic, joined while they are consecutive. Its size is bounded. */
export class FeedBacklog {
  #news = new Map<string, LiveNews & { readonly bytes: number }>();
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#news.size === 0;
  }

  add(topic: string, firstSeq: number, texts: readonly string[]): void {
    const lastSeq = firstSeq + texts.length - 1;
    const waiting = this.#news.get(topic);
    if (waiting === undefined && this.#news.size >= maxTopics) return;
    const bytes = texts.reduce((sum, text) => sum + text.length, waiting?.bytes ?? 0);
    const joins = waiting === undefined || (waiting.texts !== undefined && waiting.lastSeq + 1 === firstSeq);
    const fits = bytes <= maxEntryBytes && this.#bytes + bytes - (waiting?.bytes ?? 0) <= maxBytes;
    if (joins && fits)
      this.#set(topic, {
        firstSeq: waiting?.firstSeq ?? firstSeq,
        lastSeq,
        texts: [...(waiting?.texts ?? []), ...texts],
        bytes,
      });
    else this.announce(topic, lastSeq);
  }

  /** Keeps only that a topic has events up to a seq. */
  announce(topic: string, lastSeq: number): void {
    const waiting = this.#news.get(topic);
    if (waiting === undefined && this.#news.size >= maxTopics) return;
    this.#set(topic, { lastSeq: Math.max(lastSeq, waiting?.lastSeq ?? 0), bytes: 0 });
  }

  /** Returns and removes everything. */
  take(): ReadonlyMap<string, LiveNews> {
    const taken = this.#news;
    this.#news = new Map();
    this.#bytes = 0;
    return taken;
  }

  #set(topic: string, news: LiveNews & { readonly bytes: number }): void {
    this.#bytes += news.bytes - (this.#news.get(topic)?.bytes ?? 0);
    this.#news.set(topic, news);
  }
}

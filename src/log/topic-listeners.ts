import { endOfTime } from './checks.ts';
import type { LiveNews } from './live-feed.ts';

type Listener = (news: LiveNews) => void;

/** The subscriptions of a live feed, by topic. */
export class TopicListeners {
  readonly #topics = new Map<string, Set<Listener>>();

  /** The topics that have listeners. */
  get topics(): Iterable<string> {
    return this.#topics.keys();
  }

  /** Returns an unsubscribe function. */
  add(topic: string, listener: Listener): () => void {
    const own: Listener = news => listener(news);
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }

  report(topic: string, news: LiveNews): void {
    for (const listener of this.#topics.get(topic) ?? []) listener(news);
  }

  /** Reports to all listeners that news may have been lost. */
  reportLoss(): void {
    for (const topic of this.#topics.keys()) this.report(topic, { lastSeq: endOfTime });
  }

  clear(): void {
    this.#topics.clear();
  }
}

import { endOfTime } from '../checks.ts';
import { decodeEvent } from '../encode.ts';
import type { LiveFeed, LiveNews } from '../live-feed.ts';
import type { LiveTails, Stored } from '../live-tails.ts';

/** A thread that has tails in this process. */
export interface Followed {
  readonly threadId: string;
  readonly key: string;
  readonly topic: string;
  /** Its newest seq, as far as is known. */
  newest: number;
  tails: number;
  readonly unsubscribe: () => void;
}

export interface FollowedThreadsOptions {
  readonly live: LiveTails;
  readonly feed: LiveFeed;
  readonly pollMs: number;
  /** The newest seq of threads by key; deleted ones are missing. */
  readonly look: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/**
 * Brings the appends of other processes to the tails of this one. The news of the feed wakes the tails of a thread; what
 * was lost on the way is found by looking from time to time.
 */
export class FollowedThreads {
  readonly #options: FollowedThreadsOptions;
  readonly #followed = new Map<string, Followed>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: FollowedThreadsOptions) {
    this.#options = options;
  }

  /** Registers a tail of a thread; later appends wake it. */
  follow(place: Pick<Followed, 'threadId' | 'key' | 'topic'> & { readonly seq: number }): Followed {
    const { threadId, key, topic, seq } = place;
    const known = this.#followed.get(topic);
    const followed: Followed = known ?? {
      threadId,
      key,
      topic,
      newest: seq,
      tails: 0,
      unsubscribe: this.#options.feed.subscribe(topic, news => this.#hear(topic, news)),
    };
    followed.newest = Math.max(followed.newest, seq);
    followed.tails++;
    this.#followed.set(topic, followed);
    this.#schedule();
    return followed;
  }

  /** Removes a tail of a thread. */
  release(followed: Followed): void {
    if (--followed.tails > 0) return;
    followed.unsubscribe();
    this.#followed.delete(followed.topic);
  }

  /** Hands events that this process appended to its tails and to other processes. */
  publish(threadId: string, topic: string, stored: Stored): void {
    const [first] = stored.events;
    if (first === undefined) return;
    const followed = this.#followed.get(topic);
    if (followed !== undefined) {
      followed.newest = Math.max(followed.newest, first.seq + stored.events.length - 1);
      this.#options.live.publish(threadId, stored);
    }
    this.#options.feed.publish(topic, first.seq, stored.bodies);
  }

  /** Reports to other processes that the thread of a topic was deleted. */
  publishDeletion(topic: string): void {
    this.#options.feed.publishDeletion(topic);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#options.feed.close();
  }

  #hear(topic: string, { lastSeq, firstSeq, texts = [] }: LiveNews): void {
    const followed = this.#followed.get(topic);
    if (followed === undefined || lastSeq <= followed.newest) return;
    const { live } = this.#options;
    if (lastSeq === endOfTime) {
      // Its newest seq is not known any more.
      followed.newest = -1;
      live.wake(followed.threadId);
      return;
    }
    followed.newest = lastSeq;
    const events = firstSeq === undefined ? [] : texts.map(decodeEvent);
    const isWhole = events.length > 0 && events.every((event, index) => event.seq === (firstSeq ?? 0) + index);
    if (isWhole) live.publish(followed.threadId, { events, bodies: texts });
    else live.wake(followed.threadId);
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#followed.size === 0) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#options.pollMs);
  }

  async #poll(): Promise<void> {
    const all = [...this.#followed.values()];
    try {
      const found = await this.#options.look(all.map(({ key }) => key));
      for (const followed of all) {
        const seq = found.get(followed.key);
        if (seq !== undefined && seq <= followed.newest) continue;
        followed.newest = seq ?? -1;
        this.#options.live.wake(followed.threadId);
      }
    } catch {
      // The next look follows.
    }
    this.#timer = undefined;
    this.#schedule();
  }
}

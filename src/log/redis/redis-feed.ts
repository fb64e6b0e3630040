import { errorText } from '../../base/error-text.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { LiveFeed, LiveNews } from '../live-feed.ts';
import { checkLiveUrl } from '../store/store-url.ts';
import { FeedPublisher } from './feed-publisher.ts';
import { FeedReader } from './feed-reader.ts';
import { checkRedisFeedOptions, type FeedSettings, type RedisFeedOptions } from './redis-feed-options.ts';
import { loadRedisDriver, type RedisDriver, RedisLink } from './redis-link.ts';

/**
 * Carries news through Redis Streams, one stream for each topic, over two connections for a whole process. Redis may be
 * slow, stalled, empty or gone: nothing waits for it, and readers are called to look into the store.
 */
export class RedisFeed implements LiveFeed {
  readonly #publisher: FeedPublisher;
  readonly #reader: FeedReader;
  readonly #closing = new AbortController();
  readonly #onOutage: RedisFeedOptions['onOutage'];
  #isOut = false;

  private constructor(driver: RedisDriver, url: string, options: RedisFeedOptions) {
    const { prefix = 'singletree:', maxEntries = 256, expireMs = 3_600_000 } = options;
    const { blockMs = 2_000, commandMs = 2_000, onOutage } = options;
    this.#onOutage = onOutage;
    const settings: FeedSettings = {
      prefix,
      maxEntries,
      expireMs,
      blockMs,
      commandMs,
      onSuccess: () => this.#note(undefined),
      onFailure: error => this.#note(errorText(error)),
      backOff: failures => this.#backOff(failures),
    };
    this.#publisher = new FeedPublisher(new RedisLink(driver, url), settings);
    this.#reader = new FeedReader(new RedisLink(driver, url), settings, key => this.#publisher.wake(key));
  }

  /**
   * Prepares a feed; it connects when it is first used, and whenever that is possible. Rejects with `invalid_argument`
   * for a URL that names no Redis server, and with `driver_missing` when `ioredis` is not installed.
   */
  static async open(url: string, options: RedisFeedOptions = {}): Promise<RedisFeed> {
    checkRedisFeedOptions(options);
    checkLiveUrl(url);
    return new RedisFeed(await loadRedisDriver(), url, options);
  }

  publish(topic: string, firstSeq: number, texts: readonly string[]): void {
    this.#publisher.publish(topic, firstSeq, texts);
  }

  publishDeletion(topic: string): void {
    this.#publisher.publishDeletion(topic);
  }

  subscribe(topic: string, listener: (news: LiveNews) => void): () => void {
    return this.#reader.subscribe(topic, listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#publisher.close(), this.#reader.close()]);
  }

  #note(reason: string | undefined): void {
    if (this.#closing.signal.aborted || this.#isOut === (reason !== undefined)) return;
    this.#isOut = reason !== undefined;
    this.#onOutage?.(reason);
  }

  async #backOff(failures: number): Promise<void> {
    const { signal } = this.#closing;
    // Closing ends the wait.
    await delay(Math.min(1_000, 25 * 2 ** failures), undefined, { signal }).catch(() => {});
  }
}

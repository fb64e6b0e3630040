import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { endOfTime } from '../checks.ts';
import type { LiveNews } from '../live-feed.ts';
import { TopicListeners } from '../topic-listeners.ts';
import { newsIn, type StreamEntry } from './feed-entry.ts';
import type { FeedSettings } from './redis-feed-options.ts';
import type { RedisLink } from './redis-link.ts';

/**
 * Reads the streams of all topics that have listeners, with one blocking command on one connection. A private wake-up
 * stream of this process unblocks the command when a topic is added; when it is missing, Redis was emptied.
 */
export class FeedReader {
  readonly #link: RedisLink;
  readonly #settings: FeedSettings;
  readonly #wake: (key: string) => void;
  readonly #wakeKey: string;
  readonly #listeners = new TopicListeners();
  /** The entry after which each stream is read; those of new topics are not known yet. */
  readonly #positions = new Map<string, string>();
  #wakePosition = '0-0';
  /** The connection on which the wake-up stream was made. */
  #generation = -1;
  #checkedAt = 0;
  #isBlocking = false;
  #onTopic: (() => void) | undefined;
  #loop: Promise<void> | undefined;
  #closed = false;

  constructor(link: RedisLink, settings: FeedSettings, wake: (key: string) => void) {
    this.#link = link;
    this.#settings = settings;
    this.#wake = wake;
    this.#wakeKey = `${settings.prefix}wake:${randomUUID()}`;
  }

  subscribe(topic: string, listener: (news: LiveNews) => void): () => void {
    if (this.#closed) return () => {};
    const unsubscribe = this.#listeners.add(topic, listener);
    if (!this.#positions.has(topic)) {
      this.#onTopic?.();
      if (this.#isBlocking) this.#wake(this.#wakeKey);
      this.#loop ??= this.#run();
    }
    return unsubscribe;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#onTopic?.();
    this.#link.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#closed; )
      try {
        if ([...this.#listeners.topics].length === 0) await new Promise<void>(resolve => (this.#onTopic = resolve));
        this.#onTopic = undefined;
        if (this.#closed) return;
        const { blockMs, commandMs } = this.#settings;
        await this.#link.use(blockMs + commandMs, redis => this.#round(redis));
        failures = 0;
        this.#settings.onSuccess();
      } catch (error) {
        if (this.#closed) return;
        this.#settings.onFailure(error);
        this.#listeners.reportLoss();
        await this.#settings.backOff(failures++);
      } finally {
        this.#isBlocking = false;
      }
  }

  async #round(redis: Redis): Promise<void> {
    if (this.#generation !== this.#link.generation || this.#checkedAt + this.#settings.blockMs <= performance.now())
      await this.#check(redis);
    await this.#findPositions(redis);
    // A topic that is added from here on wakes the command.
    this.#isBlocking = true;
    if (this.#newTopics().length > 0) return;
    const keys = [...this.#positions.keys()].map(topic => this.#settings.prefix + topic);
    const streams = await redis.xread(
      'COUNT',
      100,
      'BLOCK',
      this.#settings.blockMs,
      'STREAMS',
      this.#wakeKey,
      ...keys,
      this.#wakePosition,
      ...this.#positions.values(),
    );
    this.#isBlocking = false;
    for (const [key, entries] of streams ?? []) this.#deliver(key, entries);
  }

  /** Makes the wake-up stream, or finds that it is missing: then Redis is empty, and news may have been lost. */
  async #check(redis: Redis): Promise<void> {
    const { expireMs } = this.#settings;
    const isNew = this.#generation !== this.#link.generation;
    if (isNew || (await redis.pexpire(this.#wakeKey, expireMs)) === 0) {
      this.#wakePosition = (await redis.xadd(this.#wakeKey, 'MAXLEN', '1', '*', 'wake', '1')) ?? '0-0';
      await redis.pexpire(this.#wakeKey, expireMs);
      this.#generation = this.#link.generation;
      this.#listeners.reportLoss();
      this.#positions.clear();
    }
    this.#checkedAt = performance.now();
  }

  /** Reads the current end of the streams of new topics; everything before it is in the store. */
  async #findPositions(redis: Redis): Promise<void> {
    const current = new Set(this.#listeners.topics);
    for (const topic of this.#positions.keys()) if (!current.has(topic)) this.#positions.delete(topic);
    const added = this.#newTopics();
    if (added.length === 0) return;
    const ends = redis.pipeline();
    for (const topic of added) ends.xrevrange(this.#settings.prefix + topic, '+', '-', 'COUNT', 1);
    const results = (await ends.exec()) ?? [];
    for (const [index, topic] of added.entries()) {
      const [last] = (results[index]?.[1] as StreamEntry[] | undefined) ?? [];
      this.#positions.set(topic, last?.[0] ?? '0-0');
      const news = last && newsIn(last);
      if (news !== undefined) this.#listeners.report(topic, news);
    }
  }

  #newTopics(): string[] {
    return [...this.#listeners.topics].filter(topic => !this.#positions.has(topic));
  }

  #deliver(key: string, entries: readonly StreamEntry[]): void {
    const last = entries.at(-1);
    if (key === this.#wakeKey) this.#wakePosition = last?.[0] ?? this.#wakePosition;
    const topic = key.slice(this.#settings.prefix.length);
    if (!this.#positions.has(topic) || last === undefined) return;
    this.#positions.set(topic, last[0]);
    for (const entry of entries) this.#listeners.report(topic, newsIn(entry) ?? { lastSeq: endOfTime });
  }
}

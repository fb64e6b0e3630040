import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { LiveNews } from '../live-feed.ts';
import { newsIn, type StreamEntry } from './feed-entry.ts';
import type { FeedSettings } from './redis-feed-options.ts';
import type { RedisLink } from './redis-link.ts';

type Listener = (news: LiveNews) => void;

interface Topic {
  readonly listeners: Set<Listener>;
  /** The entry after which it is read; undefined until the stream was looked at on this connection. */
  position: string | undefined;
}

const lost: LiveNews = { lastSeq: Number.MAX_SAFE_INTEGER };

/**
 * Reads the streams of all topics that somebody listens to, with one blocking command on one connection. A stream of
 * this process alone, which is read too, wakes it when a topic is added, and its absence shows that Redis was emptied.
 */
export class FeedReader {
  readonly #link: RedisLink;
  readonly #settings: FeedSettings;
  readonly #wake: (key: string) => void;
  readonly #wakeKey: string;
  readonly #topics = new Map<string, Topic>();
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

  subscribe(name: string, listener: Listener): () => void {
    if (this.#closed) return () => {};
    const own: Listener = news => listener(news);
    const topic = this.#topics.get(name);
    if (topic !== undefined) topic.listeners.add(own);
    else {
      this.#topics.set(name, { listeners: new Set([own]), position: undefined });
      this.#onTopic?.();
      if (this.#isBlocking) this.#wake(this.#wakeKey);
      this.#loop ??= this.#run();
    }
    return () => {
      const { listeners } = this.#topics.get(name) ?? {};
      if (listeners?.delete(own) === true && listeners.size === 0) this.#topics.delete(name);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#topics.clear();
    this.#onTopic?.();
    this.#link.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#closed; )
      try {
        if (this.#topics.size === 0) await new Promise<void>(resolve => (this.#onTopic = resolve));
        this.#onTopic = undefined;
        if (this.#closed) return;
        const { blockMs, commandMs } = this.#settings;
        await this.#link.use(blockMs + commandMs, redis => this.#round(redis));
        failures = 0;
        this.#settings.onSuccess();
      } catch (error) {
        if (this.#closed) return;
        this.#settings.onFailure(error);
        this.#reportLoss();
        await this.#settings.backOff(failures++);
      } finally {
        this.#isBlocking = false;
      }
  }

  async #round(redis: Redis): Promise<void> {
    if (this.#generation !== this.#link.generation || this.#checkedAt + this.#settings.blockMs <= performance.now())
      await this.#check(redis);
    await this.#findPositions(redis);
    const topics = [...this.#topics].filter(([, { position }]) => position !== undefined);
    const keys = topics.map(([name]) => this.#settings.prefix + name);
    const ids = topics.map(([, { position }]) => position ?? '0-0');
    // A topic that is added from here on wakes the command.
    this.#isBlocking = true;
    if (topics.length < this.#topics.size) return;
    const streams = await redis.xread(
      'COUNT',
      100,
      'BLOCK',
      this.#settings.blockMs,
      'STREAMS',
      this.#wakeKey,
      ...keys,
      this.#wakePosition,
      ...ids,
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
      this.#reportLoss();
      for (const topic of this.#topics.values()) topic.position = undefined;
    }
    this.#checkedAt = performance.now();
  }

  /** Looks where the streams of new topics end: what came before it is in the store. */
  async #findPositions(redis: Redis): Promise<void> {
    const added = [...this.#topics].filter(([, { position }]) => position === undefined);
    if (added.length === 0) return;
    const ends = redis.pipeline();
    for (const [name] of added) ends.xrevrange(this.#settings.prefix + name, '+', '-', 'COUNT', 1);
    const results = (await ends.exec()) ?? [];
    for (const [index, [, topic]] of added.entries()) {
      const entries = results[index]?.[1] as StreamEntry[] | undefined;
      const last = entries?.[0];
      topic.position = last?.[0] ?? '0-0';
      const news = last && newsIn(last);
      if (news !== undefined) report(topic, news);
    }
  }

  #deliver(key: string, entries: readonly StreamEntry[]): void {
    const last = entries.at(-1);
    if (key === this.#wakeKey) this.#wakePosition = last?.[0] ?? this.#wakePosition;
    const topic = this.#topics.get(key.slice(this.#settings.prefix.length));
    if (topic === undefined || last === undefined) return;
    topic.position = last[0];
    for (const entry of entries) report(topic, newsIn(entry) ?? lost);
  }

  #reportLoss(): void {
    for (const topic of this.#topics.values()) report(topic, lost);
  }
}

function report({ listeners }: Topic, news: LiveNews): void {
  for (const listener of listeners) listener(news);
}

import { endOfTime } from '../checks.ts';
import { FeedBacklog } from './feed-backlog.ts';
import { entryArguments } from './feed-entry.ts';
import type { FeedSettings } from './redis-feed-options.ts';
import type { RedisLink } from './redis-link.ts';

/** Publishes news to the streams of their topics on a dedicated connection; callers never wait for it. */
export class FeedPublisher {
  readonly #link: RedisLink;
  readonly #settings: FeedSettings;
  readonly #backlog = new FeedBacklog();
  /** The stream that wakes the reader of this process, when it has to be woken. */
  #wakeKey: string | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(link: RedisLink, settings: FeedSettings) {
    this.#link = link;
    this.#settings = settings;
  }

  publish(topic: string, firstSeq: number, texts: readonly string[]): void {
    if (this.#closed || texts.length === 0) return;
    this.#backlog.add(topic, firstSeq, texts);
    this.#send();
  }

  publishDeletion(topic: string): void {
    if (this.#closed) return;
    // No seq is higher: readers look into the store, and nothing is added to the stream after it.
    this.#backlog.announce(topic, endOfTime);
    this.#send();
  }

  /** Adds an entry to the stream on which the reader of this process waits too. */
  wake(key: string): void {
    this.#wakeKey = key;
    this.#send();
  }

  /** Sends the queued news if that is possible at once, then closes the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#sending;
    this.#link.close();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (!this.#closed && this.#hasWork) this.#send();
    });
  }

  get #hasWork(): boolean {
    return !this.#backlog.isEmpty || this.#wakeKey !== undefined;
  }

  async #sendAll(): Promise<void> {
    // News published in the same turn are sent together.
    await Promise.resolve();
    for (let failures = 0; this.#hasWork; ) {
      const news = this.#backlog.take();
      const wakeKey = this.#wakeKey;
      this.#wakeKey = undefined;
      try {
        await this.#link.use(this.#settings.commandMs, async redis => {
          const { prefix, maxEntries, expireMs } = this.#settings;
          const commands = redis.pipeline();
          for (const [topic, each] of news) {
            commands.xadd(prefix + topic, 'MAXLEN', '~', maxEntries, ...entryArguments(each));
            commands.pexpire(prefix + topic, expireMs);
          }
          if (wakeKey !== undefined) commands.xadd(wakeKey, 'MAXLEN', '1', '*', 'wake', '1');
          const results = (await commands.exec()) ?? [];
          const failure = results.find(([error]) => error !== null && !isOutOfOrder(error))?.[0];
          if (failure) throw failure;
        });
        failures = 0;
        this.#settings.onSuccess();
      } catch (error) {
        this.#settings.onFailure(error);
        if (this.#closed) return;
        for (const [topic, { lastSeq }] of news) this.#backlog.announce(topic, lastSeq);
        this.#wakeKey ??= wakeKey;
        await this.#settings.backOff(failures++);
        if (this.#closed) return;
      }
    }
  }
}

/** Whether Redis refused an entry because a newer one exists, which announces the same. */
function isOutOfOrder({ message }: Error): boolean {
  return message.includes('equal or smaller');
}

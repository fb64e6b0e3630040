import type { Redis } from 'ioredis';
import { reportMissingDriver } from '../missing-driver.ts';

/** Makes a connection that is not open yet. */
export type RedisDriver = (url: string) => Redis;

/** Loads the driver; rejects with `driver_missing` when it is not installed. */
export async function loadRedisDriver(): Promise<RedisDriver> {
  const { Redis: Connection } = await import('ioredis').catch(reportMissingDriver('ioredis', 'Redis'));
  return url =>
    new Connection(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
}

/**
 * One connection to Redis, opened when it is first used, by one caller at a time. Commands that fail or take longer
 * than their limit close it, and the next ones begin with a new connection: nothing waits for a server that is stalled.
 */
export class RedisLink {
  readonly #driver: RedisDriver;
  readonly #url: string;
  #connection: Redis | undefined;
  #opened = 0;
  #closed = false;

  constructor(driver: RedisDriver, url: string) {
    this.#driver = driver;
    this.#url = url;
  }

  /** How many connections were opened so far: it changes with each new one. */
  get generation(): number {
    return this.#opened;
  }

  /** Performs commands on the connection; rejects when they fail or take longer than the limit. */
  async use<Result>(timeoutMs: number, commands: (redis: Redis) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Error('The connection was closed.');
    const limit = new TimeLimit(timeoutMs);
    try {
      const redis = this.#connection ?? (await limit.race(this.#open()));
      return await limit.race(commands(redis));
    } catch (error) {
      this.#drop();
      throw error;
    } finally {
      limit.end();
    }
  }

  /** Closes the connection at once; commands that are under way reject. */
  close(): void {
    this.#closed = true;
    this.#drop();
  }

  async #open(): Promise<Redis> {
    const redis = this.#driver(this.#url);
    this.#connection = redis;
    let failure: unknown;
    redis.on('error', error => (failure = error));
    try {
      await redis.connect();
    } catch (error) {
      throw failure ?? error;
    }
    this.#opened++;
    return redis;
  }

  #drop(): void {
    this.#connection?.disconnect();
    this.#connection = undefined;
  }
}

/** A time after which a promise is no longer waited for. */
class TimeLimit {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #over: Promise<never>;

  constructor(ms: number) {
    this.#over = new Promise((_, reject) => {
      this.#timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms} ms.`)), ms);
    });
    // A call that races with it rejects; without one the rejection has no handler.
    this.#over.catch(() => {});
  }

  race<Result>(work: Promise<Result>): Promise<Result> {
    // It may still fail after the time limit, when nothing awaits it.
    work.catch(() => {});
    return Promise.race([work, this.#over]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

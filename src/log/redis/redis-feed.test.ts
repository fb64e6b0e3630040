import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { type PrivateServer, startRedis } from '../../../test/support/private-servers.ts';
import { isInstalled } from '../../../test/support/services.ts';
import type { LiveNews } from '../live-feed.ts';
import { RedisFeed } from './redis-feed.ts';
import type { RedisFeedOptions } from './redis-feed-options.ts';

const lost = Number.MAX_SAFE_INTEGER;
const until = <Result>(condition: () => Result) => vi.waitFor(condition, { timeout: 20_000, interval: 10 });

describe.skipIf(!isInstalled('redis'))('a feed in Redis', () => {
  let server: PrivateServer;
  let redis: Redis;
  const feeds: RedisFeed[] = [];
  const outages: (string | undefined)[] = [];
  let prefixes = 0;
  let prefix = '';

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => {});
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map(feed => feed.close()));
    outages.length = 0;
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  async function open(options: RedisFeedOptions = {}, url = server.url): Promise<RedisFeed> {
    const onOutage = (reason: string | undefined) => void outages.push(reason);
    const feed = await RedisFeed.open(url, { prefix, blockMs: 300, commandMs: 300, onOutage, ...options });
    feeds.push(feed);
    return feed;
  }

  /** A feed that publishes, and one that collects the news of a topic and is known to read it. */
  async function pair(topic = 'topic') {
    prefix = `test-${prefixes++}:`;
    const [here, there] = [await open(), await open()];
    const news = await follow(there, topic, here);
    return { here, there, news };
  }

  /** Subscribes, and waits until the subscription is in effect; `publisher` announces seq 1 for that. */
  async function follow(feed: RedisFeed, topic: string, publisher: RedisFeed): Promise<LiveNews[]> {
    const news: LiveNews[] = [];
    feed.subscribe(topic, each => news.push(each));
    publisher.publish(topic, 1, ['first']);
    await until(() => expect(news.some(({ lastSeq }) => lastSeq === 1)).toBe(true));
    news.length = 0;
    return news;
  }

  const textsOf = (news: readonly LiveNews[]) => news.flatMap(({ texts = [] }) => texts);

  it('carries news to other processes in order, with their texts', async () => {
    const { here, news } = await pair();
    for (let seq = 2; seq <= 500; seq++) here.publish('topic', seq, [`event ${seq}`]);
    await until(() => expect(news.at(-1)?.lastSeq).toBe(500));
    expect(textsOf(news)).toEqual(Array.from({ length: 499 }, (_, index) => `event ${index + 2}`));
  });

  it('reads a topic that is added while it waits for others', async () => {
    const { here, there, news } = await pair();
    const others = await follow(there, 'other', here);
    here.publish('other', 2, ['b']);
    here.publish('topic', 2, ['a']);
    await until(() => expect([textsOf(news), textsOf(others)]).toEqual([['a'], ['b']]));
  });

  it('reports the newest seq of a stream to a new subscriber', async () => {
    const { here } = await pair();
    here.publish('topic', 2, ['a', 'b']);
    await until(async () => expect(await redis.xlen(`${prefix}topic`)).toBe(2));
    const late: LiveNews[] = [];
    (await open()).subscribe('topic', each => late.push(each));
    await until(() => expect(late.at(-1)?.lastSeq).toBe(3));
  });

  it('uses two connections for any number of topics', async () => {
    const { here, there } = await pair();
    for (let topic = 0; topic < 50; topic++) await follow(there, `topic ${topic}`, here);
    const clients = String(await redis.client('LIST'))
      .trim()
      .split('\n').length;
    // Two for each feed, one for this test.
    expect(clients).toBeLessThanOrEqual(5);
  });

  it('refuses news that come out of order', async () => {
    const { here, news } = await pair();
    here.publish('topic', 5, ['five']);
    await until(() => expect(news.at(-1)?.lastSeq).toBe(5));
    const other = await open();
    other.publish('topic', 4, ['four']);
    other.publish('next', 1, ['done']);
    await until(async () => expect(await redis.exists(`${prefix}next`)).toBe(1));
    expect((await redis.xrevrange(`${prefix}topic`, '+', '-', 'COUNT', 1))[0]?.[0]).toBe('5-0');
    expect(outages).toEqual([]);
  });

  it('trims streams, and lets idle ones expire', async () => {
    await pair();
    const feed = await open({ maxEntries: 10, expireMs: 60_000 });
    for (let seq = 2; seq <= 300; seq++) {
      feed.publish('topic', seq, ['x']);
      await until(async () =>
        expect((await redis.xrevrange(`${prefix}topic`, '+', '-', 'COUNT', 1))[0]?.[0]).toBe(`${seq}-0`),
      );
    }
    expect(await redis.xlen(`${prefix}topic`)).toBeLessThan(250);
    expect(await redis.pttl(`${prefix}topic`)).toBeGreaterThan(0);
  });

  it('reports that news may be lost when Redis was emptied', async () => {
    const { here, news } = await pair();
    await redis.flushall();
    await until(() => expect(news.at(-1)?.lastSeq).toBe(lost));
    here.publish('topic', 2, ['after']);
    await until(() => expect(textsOf(news)).toEqual(['after']));
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('goes on after Redis was ended by %s and started empty', async signal => {
    const { here, news } = await pair();
    await server.stop(signal);
    here.publish('topic', 2, ['lost']);
    await until(() => expect(news.at(-1)?.lastSeq).toBe(lost));
    await server.start();
    await until(() => expect(news.some(({ lastSeq }) => lastSeq === 2)).toBe(true));
    here.publish('topic', 3, ['after']);
    await until(() => expect(textsOf(news)).toContain('after'));
    expect(outages).toContain(undefined);
  });

  it('waits for nothing while Redis is stalled, and announces what was published meanwhile', async () => {
    const { here, news } = await pair();
    process.kill(server.pid, 'SIGSTOP');
    try {
      for (let seq = 2; seq <= 1000; seq++) here.publish('topic', seq, ['x'.repeat(10_000)]);
      await until(() => expect(news.at(-1)?.lastSeq).toBe(lost));
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await until(() => expect(news.some(({ lastSeq }) => lastSeq === 1000)).toBe(true));
    expect(textsOf(news).length).toBeLessThan(1000);
  });

  it.each<[string, (wire: FaultProxy) => void]>([
    ['is cut', wire => wire.cut()],
    ['breaks in the middle of a command', wire => wire.cutAfter('request', 20)],
    ['breaks in the middle of an answer', wire => wire.cutAfter('response', 3)],
  ])('announces the newest seq over a wire that %s', async (_, fault) => {
    const wire = await FaultProxy.open(() => server.url);
    try {
      const { there } = await pair();
      const here = await open({}, wire.through(server.url));
      const news = await follow(there, 'other', here);
      for (let seq = 2; seq <= 40; seq++) {
        fault(wire);
        here.publish('other', seq, [`event ${seq}`]);
        await until(() => expect(news.some(({ lastSeq }) => lastSeq === seq)).toBe(true));
      }
      expect(wire.cuts).toBeGreaterThan(10);
    } finally {
      await wire.close();
    }
  });

  it('prints no password when Redis cannot be reached, and ends nevertheless', async () => {
    const feed = await open({}, 'redis://ann:hunter22@127.0.0.1:1');
    feed.subscribe('topic', () => {});
    feed.publish('topic', 1, ['x']);
    await until(() => expect(outages[0]).toMatch(/ECONNREFUSED/));
    expect(JSON.stringify(outages)).not.toContain('hunter22');
    await feed.close();
    await feed.close();
    expect(() => feed.publish('topic', 2, ['x'])).not.toThrow();
  });
});

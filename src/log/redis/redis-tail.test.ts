import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PrivateServer, startRedis } from '../../../test/support/private-servers.ts';
import { isInstalled, testDatabase, testService } from '../../../test/support/services.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { PostgresLog } from '../postgres/postgres-log.ts';
import type { PostgresLogOptions } from '../postgres/postgres-log-options.ts';
import { RedisFeed } from './redis-feed.ts';

const database = await testDatabase();
const shared = isInstalled('redis') ? await testService('redis') : undefined;
const isSkipped = database === undefined || shared === undefined;
afterAll(() => database?.drop());

async function open(redis: string, options: PostgresLogOptions): Promise<PostgresLog> {
  const live = await RedisFeed.open(redis, { blockMs: 500, commandMs: 500 });
  return PostgresLog.open(database?.url ?? '', { ...options, live, connections: 4 });
}

describe.skipIf(isSkipped)('a tail of a thread that another server deletes', () => {
  it('ends without waiting for the next look into the database', async () => {
    const never = 2 ** 31 - 1;
    const owner = await open(shared ?? '', { schema: 'deletion', pollMs: never });
    const reader = await open(shared ?? '', { schema: 'deletion', pollMs: never });
    try {
      const { id } = await owner.createThread();
      await owner.append(id, [{ type: 'user', runId: 'r', content: 'one' }]);
      const seen: LoggedEvent[] = [];
      const ended = (async () => {
        for await (const event of reader.tail(id)) seen.push(event);
      })().catch((error: unknown) => error);
      await owner.append(id, [{ type: 'user', runId: 'r', content: 'two' }]);
      await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 15_000, interval: 20 });
      await owner.deleteThread(id);
      expect(await ended).toMatchObject({ code: 'thread_not_found' });
    } finally {
      await Promise.all([owner.close(), reader.close()]);
    }
  });
});

describe.skipIf(isSkipped)('a tail with Redis', () => {
  let server: PrivateServer;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.close());

  const faults: [string, (redis: PrivateServer) => Promise<void>][] = [
    ['is emptied', redis => command(redis, 'FLUSHALL')],
    ['is ended and started empty', async redis => redis.stop().then(() => redis.start())],
    ['is killed and started empty', async redis => redis.stop('SIGKILL').then(() => redis.start())],
    ['is gone', redis => redis.stop('SIGKILL')],
    ['is stalled', async redis => void process.kill(redis.pid, 'SIGSTOP')],
  ];
  it.each(faults)('shows every event once while Redis %s', async (_, fault) => {
    const writer = await open(server.url, { schema: 'faults', pollMs: 1_000 });
    const reader = await open(server.url, { schema: 'faults', pollMs: 1_000 });
    try {
      const { id } = await writer.createThread();
      const seen: LoggedEvent[] = [];
      const following = (async () => {
        for await (const event of reader.tail(id)) seen.push(event);
      })();
      const append = async (count: number) => {
        for (let n = 0; n < count; n++) await writer.append(id, [{ type: 'user', runId: 'r', content: `${n}` }]);
      };
      const caughtUp = async () => {
        const last = (await writer.getThread(id))?.seq;
        await vi.waitFor(() => expect(seen.at(-1)?.seq).toBe(last), { timeout: 15_000, interval: 20 });
      };
      await append(20);
      await caughtUp();
      const appending = append(100);
      await fault(server);
      await appending;
      await caughtUp();
      await recover(server);
      await append(20);
      await caughtUp();
      expect(seen).toEqual(await writer.read(id));
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 140 }, (__, index) => index + 1));
      await reader.close();
      await following;
    } finally {
      await recover(server);
      await Promise.all([writer.close(), reader.close()]);
    }
  });
});

async function command(redis: PrivateServer, text: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis(redis.url);
  await client.call(text);
  client.disconnect();
}

/** Redis runs again after this, whatever was done to it. */
async function recover(redis: PrivateServer): Promise<void> {
  if (redis.pid === -1) await redis.start();
  else process.kill(redis.pid, 'SIGCONT');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { startPostgres, startRedis } from './support/private-servers.ts';
import { isInstalled, testDatabase, testService } from './support/services.ts';

const script = fileURLToPath(new URL('support/servers-owner.mjs', import.meta.url));
const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

describe.skipIf(!isInstalled('postgres'))('PostgreSQL for tests', () => {
  it('gives each test file an empty database', async () => {
    const databases = [await testDatabase(), await testDatabase()];
    expect(new Set(databases.map(each => each?.url)).size).toBe(2);
    for (const database of databases) {
      const client = new Client({ connectionString: database?.url });
      await client.connect();
      expect((await client.query("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'")).rows).toEqual(
        [{ n: 0 }],
      );
      await client.end();
      await database?.drop();
    }
  });

  it('restarts on the same port with its data', async () => {
    const server = await startPostgres();
    const ask = async (sql: string) => {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      return rows as unknown[];
    };
    await ask('CREATE TABLE kept AS SELECT 1 AS one');
    await server.stop('SIGKILL');
    await expect(ask('SELECT 1')).rejects.toThrow();
    await server.start();
    expect(await ask('SELECT one FROM kept')).toEqual([{ one: 1 }]);
    await server.close();
  });
});

describe.skipIf(!isInstalled('redis'))('Redis for tests', () => {
  it('is one server for all tests of a run', async () => {
    const [url, again] = [await testService('redis'), await testService('redis')];
    expect(again).toBe(url);
    const redis = new Redis(url ?? '');
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });

  it('restarts empty', async () => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    redis.on('error', () => {});
    await redis.set('key', 'value');
    await server.stop();
    await server.start();
    expect(await redis.get('key')).toBeNull();
    redis.disconnect();
    await server.close();
  });
});

describe.skipIf(!isInstalled('postgres') || !isInstalled('redis') || process.platform !== 'linux')(
  'private servers',
  () => {
    it('end with their process and leave nothing, also when it is killed', async () => {
      const owner = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [printed] = (await once(owner.stdout, 'data')) as [Buffer];
      const { pids, folders } = JSON.parse(printed.toString()) as { pids: number[]; folders: string[] };
      expect([pids.length, pids.filter(isRunning).length, folders.filter(existsSync).length]).toEqual([2, 2, 2]);
      owner.kill('SIGKILL');
      await vi.waitFor(() => expect([pids.filter(isRunning), folders.filter(existsSync)]).toEqual([[], []]), 30_000);
    }, 90_000);
  },
);

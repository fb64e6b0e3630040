import { runnerImport } from 'vite';

/** Where a PostgreSQL and a Redis of this run answer. */
export interface PrivateStores {
  readonly postgres: string;
  readonly redis: string;
  close(): Promise<void>;
}

interface PrivateServer {
  readonly url: string;
  close(): Promise<void>;
}

/** What the tests start their servers with. */
interface Servers {
  findProgram(name: string): string | undefined;
  startPostgres(): Promise<PrivateServer>;
  startRedis(): Promise<PrivateServer>;
}

const file = new URL('../../test/support/private-servers.ts', import.meta.url).pathname;

/** Starts a PostgreSQL and a Redis for this run; prints a line and returns undefined when one is not installed. */
export async function privateStores(): Promise<PrivateStores | undefined> {
  const { module } = await runnerImport<Servers>(file, { logLevel: 'error', configFile: false });
  const missing = ['postgres', 'redis-server'].find(name => module.findProgram(name) === undefined);
  if (missing !== undefined) {
    console.error(`${missing} is not installed: the rows of PostgreSQL and Redis are left out.`);
    return undefined;
  }
  const [postgres, redis] = await Promise.all([module.startPostgres(), module.startRedis()]);
  return {
    postgres: postgres.url,
    redis: redis.url,
    close: async () => {
      await Promise.all([postgres.close(), redis.close()]);
    },
  };
}

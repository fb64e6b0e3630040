import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateServer, startPostgres, startRedis } from './private-servers.ts';
import { type ServiceName, servicesVariable } from './services.ts';

const starters: Record<ServiceName, () => Promise<PrivateServer>> = { postgres: startPostgres, redis: startRedis };

/**
 * Gives all tests of a run one PostgreSQL and one Redis. Each is started when the first test requests it, by a line
 * with its name to the socket in `SINGLETREE_TEST_SERVICES`, and removed when the run ends.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[servicesVariable] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'singletree-services-'));
  chmodSync(folder, 0o700);
  const path = join(folder, 'socket');
  const started = new Map<string, Promise<PrivateServer>>();
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', async chunk => {
      const name = chunk.toString().trim() as ServiceName;
      const running = started.get(name) ?? starters[name]();
      started.set(name, running);
      const answer = await running.then(
        ({ url }) => ({ url }),
        (error: unknown) => ({ error: String(error) }),
      );
      socket.end(JSON.stringify(answer));
    });
  }).listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[servicesVariable] = path;
  return async () => {
    server.close();
    const running = await Promise.allSettled(started.values());
    await Promise.all(running.map(each => (each.status === 'fulfilled' ? each.value.close() : undefined)));
    rmSync(folder, { recursive: true, force: true });
  };
}

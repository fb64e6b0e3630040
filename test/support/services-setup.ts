import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { type PrivateServer, startPostgres, startRedis } from './private-servers.ts';
import { type ServiceName, servicesVariable } from './services.ts';

const starters: Record<ServiceName, () => Promise<PrivateServer>> = { postgres: startPostgres, redis: startRedis };

const started = new Map<string, Promise<PrivateServer>>();
let closeServer: (() => void) | undefined;

/**
 * Gives all tests of a run one PostgreSQL and one Redis. Each is started when the first test requests it, by a line
 * with its name to the port in `SINGLETREE_TEST_SERVICES`, and removed when the run ends.
 */
export async function setup(): Promise<void> {
  if (process.env[servicesVariable] !== undefined) return;
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', chunk => void answer(chunk.toString().trim() as ServiceName).then(text => socket.end(text)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  process.env[servicesVariable] = String((server.address() as AddressInfo).port);
  closeServer = () => void server.close();
}

export async function teardown(): Promise<void> {
  closeServer?.();
  const running = await Promise.allSettled(started.values());
  for (const each of running) if (each.status === 'fulfilled') await each.value.close();
  started.clear();
}

async function answer(name: ServiceName): Promise<string> {
  const running = started.get(name) ?? starters[name]();
  started.set(name, running);
  try {
    return JSON.stringify({ url: (await running).url });
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}

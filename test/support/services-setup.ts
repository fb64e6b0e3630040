import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateServer, startPostgres, startRedis } from './private-servers.ts';
import { type ServiceName, servicesVariable } from './services.ts';

const starters: Record<ServiceName, () => Promise<PrivateServer>> = { postgres: startPostgres, redis: startRedis };

const started = new Map<string, Promise<PrivateServer>>();
let closeSocket: (() => void) | undefined;

/**
 * Gives all tests of a run one PostgreSQL and one Redis. Each is started when the first test requests it, by a line
 * with its name to the socket in `SINGLETREE_TEST_SERVICES`, and removed when the run ends.
 */
export async function setup(): Promise<void> {
  if (process.env[servicesVariable] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'singletree-services-'));
  chmodSync(folder, 0o700);
  const path = join(folder, 'socket');
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', chunk => void answer(chunk.toString().trim() as ServiceName).then(text => socket.end(text)));
  }).listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[servicesVariable] = path;
  closeSocket = () => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

export async function teardown(): Promise<void> {
  closeSocket?.();
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

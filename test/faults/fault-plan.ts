import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterServer, FaultCluster } from '../support/fault-cluster.ts';

/** Numbers from 0 to 1 that are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

type Fault = (cluster: FaultCluster, random: () => number) => Promise<void>;

/** Longer than a lease on a database lasts without renewal: another server takes the runs over meanwhile. */
const longPauseMs = 22_000;

const faults: Readonly<Record<string, Fault>> = {
  'kill a server': async (cluster, random) => {
    const server = pick(cluster, random);
    await server?.end('SIGKILL');
    await delay(random() * 1_500);
    await server?.start();
  },
  'stop a server': async (cluster, random) => {
    const server = pick(cluster, random);
    await server?.end('SIGTERM');
    await server?.start();
  },
  'pause a server': async (cluster, random) => pause(pick(cluster, random), 200 + random() * 3_000),
  'pause a server for longer than its leases': async (cluster, random) => pause(pick(cluster, random), longPauseMs),
  'empty Redis': async ({ redis }) => redisCommand(redis.url, 'FLUSHALL'),
  'restart Redis': async ({ redis }, random) => {
    await redis.stop('SIGKILL');
    await delay(random() * 1_000);
    await redis.start();
  },
  'stall Redis': async ({ wires }, random) => {
    const resume = wires.redis.stall();
    await delay(random() * 3_000);
    resume();
  },
  'restart PostgreSQL': async ({ postgres }, random) => {
    await postgres.stop(random() < 0.5 ? 'SIGINT' : 'SIGQUIT');
    await delay(random() * 1_000);
    await postgres.start();
  },
  'cut the wires to PostgreSQL': async ({ wires }) => wires.postgres.cut(),
  'cut the wires to Redis': async ({ wires }) => wires.redis.cut(),
  'break a statement': async ({ wires }, random) => wires.postgres.cutAfter('request', Math.floor(random() * 200)),
  'break an answer': async ({ wires }, random) => wires.postgres.cutAfter('response', Math.floor(random() * 200)),
};

/**
 * Lets faults happen until the time is over: each kind once, in the order of the seed, then any of them. A fault with a
 * long pause goes on beside the others. Resolves when everything runs again.
 */
export async function causeFaults(cluster: FaultCluster, seed: number, forMs: number): Promise<Map<string, number>> {
  const random = createRandom(seed);
  const counts = new Map<string, number>();
  const names = Object.keys(faults)
    .map(name => ({ name, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ name }) => name);
  // Long ones first: there must be time for them.
  const order = names.toSorted((a, b) => Number(b.includes('longer')) - Number(a.includes('longer')));
  const usual = names.filter(name => !name.includes('longer'));
  const until = performance.now() + forMs;
  const running: Promise<void>[] = [];
  for (let turn = 0; performance.now() < until || turn < order.length; turn++) {
    const name = order[turn] ?? usual[Math.floor(random() * usual.length)] ?? '';
    const happening = faults[name]?.(cluster, random) ?? Promise.resolve();
    running.push(happening);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (!name.includes('longer')) await happening;
    await delay(200 + random() * 1_200);
  }
  await Promise.all(running);
  return counts;
}

/** A server that runs, while another one does too. */
function pick({ servers }: FaultCluster, random: () => number): ClusterServer | undefined {
  const up = servers.filter(({ isRunning, isPaused }) => isRunning && !isPaused);
  return up.length < 2 ? undefined : up[Math.floor(random() * up.length)];
}

async function pause(server: ClusterServer | undefined, ms: number): Promise<void> {
  server?.pause();
  await delay(ms);
  server?.resume();
}

async function redisCommand(url: string, command: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, { maxRetriesPerRequest: null });
  client.on('error', () => {});
  await client.call(command).catch(() => {});
  client.disconnect();
}

import type { AgentEvent } from 'singletree/events';
import { type BenchStore, openBenchStore, type StoreKind } from './bench-store.ts';
import { conversation } from './conversation.ts';
import { race } from './measure.ts';
import { type PrivateStores, privateStores } from './private-stores.ts';
import type { Result } from './result.ts';
import { storeDelay } from './store-delay.ts';
import { storeGrowth } from './store-growth.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What the peer of a store does. */
const peers: Readonly<Record<StoreKind, string>> = {
  memory: 'JSON in an array',
  SQLite: 'bare inserts',
  PostgreSQL: 'bare inserts',
  'PostgreSQL + Redis': 'bare inserts and XADD',
};

/** Every store appends and follows at half the speed of bare inserts at least, whatever its size, and notifies others soon. */
export async function* stores(): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  const servers = await privateStores();
  try {
    for (const kind of Object.keys(peers) as StoreKind[]) {
      if (kind.startsWith('PostgreSQL') && servers === undefined) continue;
      const plan = { kind, folder: folder.path, servers };
      for (const batchSize of [1, 10]) yield await appendSpeed(plan, batchSize);
      yield await tailSpeed(plan, 10);
    }
    yield* storeGrowth(folder.path, servers?.postgres);
    if (servers !== undefined) yield* storeDelay(servers);
  } finally {
    await servers?.close();
    folder.remove();
  }
}

interface Plan {
  readonly kind: StoreKind;
  readonly folder: (name: string) => string;
  readonly servers: PrivateStores | undefined;
}

/** Opens our store and its peer, each with a place of its own. */
async function opened({ kind, folder, servers }: Plan, name: string): Promise<Record<'ours' | 'bare', BenchStore>> {
  const open = (who: 'ours' | 'bare') =>
    openBenchStore({
      who,
      kind,
      place: kind === 'SQLite' ? folder(`${name}-${who}.db`) : (servers?.postgres ?? ''),
      ...(servers && { redis: servers.redis }),
      isFollowed: name === 'tail',
    });
  return { ours: await open('ours'), bare: await open('bare') };
}

/** Appends one after another. */
async function appendSpeed(plan: Plan, batchSize: number): Promise<Result> {
  const stores = await opened(plan, `append-${batchSize}`);
  const count = batchSize === 1 ? 1_000 : 5_000;
  const batches = inBatches(conversation(count), batchSize);
  const run = (store: BenchStore) => async () => {
    await store.begin();
    for (const batch of batches) await store.append(batch);
  };
  const times = await race({ ours: run(stores.ours), bare: run(stores.bare) }, { warmups: 2, rounds: 8 });
  await stores.ours.close();
  await stores.bare.close();
  return {
    claim: `stores: append, ${plan.kind}, vs ${peers[plan.kind]}`,
    size: `batches of ${batchSize}`,
    unit: 'events/s',
    ours: count / (times.ours / 1000),
    peer: count / (times.bare / 1000),
    // Storing JSON in an array is no store: shown as it is.
    ...(plan.kind !== 'memory' && { goal: { atLeast: 0.5 } }),
  };
}

/** Appends until another server has followed all of it. */
async function tailSpeed(plan: Plan, batchSize: number): Promise<Result> {
  const stores = await opened(plan, 'tail');
  const count = 5_000;
  const batches = inBatches(conversation(count), batchSize);
  const run = async (store: BenchStore) => {
    await store.begin();
    let arrived = 0;
    let wake = () => {};
    await store.follow(() => {
      if (++arrived % count === 0) wake();
    });
    return async () => {
      const all = new Promise<void>(resolve => (wake = resolve));
      for (const batch of batches) await store.append(batch);
      await all;
    };
  };
  const contenders = { ours: await run(stores.ours), bare: await run(stores.bare) };
  const times = await race(contenders, { warmups: 1, rounds: 4 });
  await stores.ours.close();
  await stores.bare.close();
  return {
    claim: `stores: append and follow, ${plan.kind}, vs the same bare`,
    size: `batches of ${batchSize}`,
    unit: 'events/s',
    ours: count / (times.ours / 1000),
    peer: count / (times.bare / 1000),
    ...(plan.kind !== 'memory' && { goal: { atLeast: 0.5 } }),
  };
}

function inBatches(events: readonly AgentEvent[], size: number): AgentEvent[][] {
  return Array.from({ length: Math.ceil(events.length / size) }, (_, n) => events.slice(n * size, (n + 1) * size));
}

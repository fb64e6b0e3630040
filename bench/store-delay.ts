import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { openBenchStore, type StorePlan } from './bench-store.ts';
import type { PrivateStores } from './private-stores.ts';
import type { Result } from './result.ts';
import type { ReaderOrder, ReaderReport } from './store-reader.ts';

const events = 500;
/** Events that are sent before those that count. */
const warmups = 50;
const everyMs = 5;
const rounds = 2;
const name = 'A line of text as an agent writes it.';

type Delays = Extract<ReaderReport, { type: 'done' }>;

/** An event that one server appends reaches a reader of another process soon. */
export async function* storeDelay({ postgres, redis }: PrivateStores): AsyncGenerator<Result> {
  for (const kind of ['PostgreSQL', 'PostgreSQL + Redis'] as const) {
    const plan = { kind, place: postgres, redis, isFollowed: true };
    const found = { ours: [] as Delays[], bare: [] as Delays[] };
    for (let round = 0; round < rounds; round++)
      for (const who of ['bare', 'ours'] as const) found[who].push(await delaysOf({ who, ...plan }));
    const least = (of: 'p50Ms' | 'p99Ms') => ({
      ours: Math.min(...found.ours.map(each => each[of])),
      peer: Math.min(...found.bare.map(each => each[of])),
    });
    const means = kind === 'PostgreSQL' ? 'LISTEN/NOTIFY' : 'Redis';
    const claim = (of: string) => `stores: append to a reader elsewhere, ${of}, ${means}`;
    const size = `${1000 / everyMs} events/s`;
    yield { claim: claim('p50'), size, unit: 'ms', ...least('p50Ms') };
    yield { claim: claim('p99'), size, unit: 'ms', ...least('p99Ms') };
  }
}

async function delaysOf(plan: StorePlan): Promise<Delays> {
  const store = await openBenchStore(plan);
  await store.begin();
  await store.append([{ type: 'custom', runId: 'r', name, data: null }]);
  const child = fork(new URL('./store-reader.js', import.meta.url));
  const order: ReaderOrder = {
    plan: { ...plan, ...(plan.who === 'ours' && { threadId: store.threadId() }) },
    events,
  };
  child.send(order);
  await reportOf(child);
  const done = reportOf(child);
  const start = performance.now();
  for (let sent = 0; sent < warmups + events; sent++) {
    await setTimeout(Math.max(0, start + sent * everyMs - performance.now()));
    const time = String(performance.timeOrigin + performance.now());
    await store.append([{ type: 'custom', runId: 'r', name, data: sent < warmups ? null : time }]);
  }
  const report = await done;
  await store.close();
  if (report.type !== 'done') throw new Error('The reader of a store did not report.');
  return report;
}

async function reportOf(child: ChildProcess): Promise<ReaderReport> {
  return ((await once(child, 'message')) as [ReaderReport])[0];
}

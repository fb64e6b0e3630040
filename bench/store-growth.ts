import type { AgentEvent } from 'singletree/events';
import { type EventLog, PostgresLog, SqliteLog } from 'singletree/log';
import { race } from './measure.ts';
import type { Result } from './result.ts';

const small = 1_000;
const appends = 50;
const batchSize = 1_000;
const text = 'A line of text as an agent writes it, of about a hundred characters, so that it looks like work.';

/** An append to a long thread of a large store costs what it costs in a small one. */
export async function* storeGrowth(
  path: (name: string) => string,
  postgres: string | undefined,
): AsyncGenerator<Result> {
  const sqlite = (name: string) => SqliteLog.open(path(name));
  yield await growth('SQLite', 1_000_000, await sqlite('small.db'), await sqlite('large.db'));
  if (postgres === undefined) return;
  const large = Number(process.env['BENCH_EVENTS'] ?? 100_000);
  const open = (schema: string) => PostgresLog.open(postgres, { schema });
  yield await growth('PostgreSQL', large, await open('small'), await open('large'));
}

async function growth(name: string, large: number, ...logs: [EventLog, EventLog]): Promise<Result> {
  const [few, many] = [await filled(logs[0], small), await filled(logs[1], large)];
  const times = await race({ few, many }, { warmups: 5, rounds: 60 });
  for (const log of logs) await log.close();
  return {
    claim: `stores: an append, ${name}, vs a thread of ${small.toLocaleString('en-US')}`,
    size: `${large.toLocaleString('en-US')} events`,
    unit: 'µs',
    ours: (times.many * 1000) / appends,
    peer: (times.few * 1000) / appends,
    goal: { atMost: 1.5 },
  };
}

/** Fills a thread; the returned function appends some events to it, one after another. */
async function filled(log: EventLog, count: number): Promise<() => Promise<void>> {
  const { id } = await log.createThread();
  const event = (at: number): AgentEvent => ({ type: 'custom', runId: 'run', name: 'line', data: `${at} ${text}` });
  for (let at = 0; at < count; at += batchSize)
    await log.append(
      id,
      Array.from({ length: Math.min(batchSize, count - at) }, (_, index) => event(at + index)),
    );
  return async () => {
    for (let at = 0; at < appends; at++) await log.append(id, [event(at)]);
  };
}

import type { AgentEvent } from 'singletree/events';
import { SqliteLog } from 'singletree/log';
import { conversation } from './conversation.ts';
import { race } from './measure.ts';
import { BareSqlite } from './peers/bare-sqlite.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const batchSizes = [1, 10, 50];

/** A checked, resumable append keeps 0.7 of the speed of a bare insert loop; the index follows later, and is not timed. */
export async function* sqliteAppend(): AsyncGenerator<Result> {
  for (const batchSize of batchSizes) {
    const folder = temporaryFolder();
    const log = new SqliteLog(folder.path('ours.db'));
    const bare = new BareSqlite(folder.path('bare.db'));
    const { id } = await log.createThread();
    const count = batchSize === 1 ? 2_000 : 10_000;
    const batches = inBatches(conversation(count), batchSize);
    const times = await race(
      {
        ours: async () => {
          for (const batch of batches) await log.append(id, batch);
        },
        bare: () => {
          for (const batch of batches) bare.append(batch);
        },
      },
      { warmups: 3, rounds: 25 },
    );
    yield {
      claim: 'SQLite append: vs a bare insert loop',
      size: `batches of ${batchSize}`,
      unit: 'events/s',
      ours: count / (times.ours / 1000),
      peer: count / (times.bare / 1000),
      // One event alone pays for its thread's look-up and its checks: shown as it is.
      ...(batchSize > 1 && { goal: { atLeast: 0.7 } }),
    };
    await log.close();
    bare.close();
    folder.remove();
  }
}

function inBatches(events: readonly AgentEvent[], size: number): AgentEvent[][] {
  return Array.from({ length: Math.ceil(events.length / size) }, (_, n) => events.slice(n * size, (n + 1) * size));
}

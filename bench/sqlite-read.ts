import { SqliteLog } from 'singletree/log';
import { conversation } from './conversation.ts';
import { collectGarbage, race } from './measure.ts';
import { BareSqlite } from './peers/bare-sqlite.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const pageSize = 1_000;

/** Reading a thread page by page costs what SQLite and JSON cost; a long thread opens at once and is read in flat memory. */
export async function* sqliteRead(): AsyncGenerator<Result> {
  yield await readBack(100_000);
  yield* longThread(1_000_000);
}

async function readBack(count: number): Promise<Result> {
  const folder = temporaryFolder();
  const log = new SqliteLog(folder.path('ours.db'));
  const bare = new BareSqlite(folder.path('bare.db'));
  const { id } = await log.createThread();
  for (const page of pagesOf(conversation(count))) {
    await log.append(id, page);
    bare.append(page);
  }
  const times = await race(
    {
      ours: () => walk(log, id),
      bare: async () => {
        for (let after = 0; after < count; ) after += bare.read(after, pageSize).length;
      },
    },
    { warmups: 1, rounds: 5 },
  );
  await log.close();
  bare.close();
  folder.remove();
  const perSecond = (time: number) => count / (time / 1000);
  return {
    claim: 'SQLite read: vs a bare SELECT and JSON.parse',
    size: `${count.toLocaleString('en-US')} events`,
    unit: 'events/s',
    ours: perSecond(times.ours),
    peer: perSecond(times.bare),
    goal: { atLeast: 0.7 },
  };
}

async function* longThread(count: number): AsyncGenerator<Result> {
  const size = `${count.toLocaleString('en-US')} events`;
  const folder = temporaryFolder();
  const path = folder.path('long.db');
  const writer = new SqliteLog(path);
  const { id } = await writer.createThread();
  const some = pagesOf(conversation(100_000));
  for (let written = 0; written < count; written += pageSize)
    await writer.append(id, some[(written / pageSize) % some.length] ?? []);
  await writer.close();

  const { open } = await race({ open: () => openAtEnd(path, id) }, { warmups: 1, rounds: 5 });
  yield { claim: 'SQLite long thread: open it and read the last 100 events', size, unit: 'ms', ours: open };

  const log = new SqliteLog(path);
  await log.read(id, { limit: pageSize });
  collectGarbage();
  const before = process.memoryUsage.rss();
  let most = before;
  await walk(log, id, () => (most = Math.max(most, process.memoryUsage.rss())));
  yield {
    claim: 'SQLite long thread: memory growth while it is read whole',
    size,
    unit: 'MB',
    ours: (most - before) / 2 ** 20,
  };
  await log.close();
  folder.remove();
}

async function openAtEnd(path: string, threadId: string): Promise<void> {
  const log = new SqliteLog(path);
  const thread = await log.getThread(threadId);
  const page = await log.read(threadId, { after: (thread?.seq ?? 0) - 100 });
  if (page.length !== 100) throw new Error(`The last page has ${page.length} events, expected 100.`);
  await log.close();
}

async function walk(log: SqliteLog, threadId: string, onPage?: () => void): Promise<void> {
  for (let after = 0; ; ) {
    const page = await log.read(threadId, { after, limit: pageSize });
    onPage?.();
    if (page.length < pageSize) return;
    after += page.length;
  }
}

function pagesOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: items.length / pageSize }, (_, n) => items.slice(n * pageSize, (n + 1) * pageSize));
}

import { createClient, createThreadStore } from 'singletree/client';
import { Supervisor } from 'singletree/control';
import { SqliteLog } from 'singletree/log';
import { startServer } from 'singletree/server';
import type { PageCost } from '../long-thread.ts';

/** Opens the thread of a file as a page does: a server and a client in one process. */
const log = new SqliteLog(process.argv[2] ?? '');
const control = new Supervisor({ log, agents: [] });
const server = await startServer({ log, control, agents: { list: () => [], get: () => undefined }, port: 0 });
const client = createClient({ baseUrl: server.url });
const started = performance.now();
const store = createThreadStore(client, 'long', { window: 500 });
await new Promise<void>(resolve => {
  store.subscribe(() => {
    if (store.getSnapshot().seq > 0) resolve();
  });
});
const shown = store.getSnapshot().nodeList.at(-1)?.partList.slice(-200).length ?? 0;
if (shown < 100) throw new Error(`Expected a page of parts, but there are ${shown}.`);
const firstMs = performance.now() - started;
const { seq } = await client.getThread('long');
const before = performance.now();
await client.readWindow('long', { around: Math.floor(seq / 2) });
const middleMs = performance.now() - before;
for (let page = 0; page < 5; page++) await store.loadEarlier();
const cost: PageCost = { firstMs, middleMs, residentMb: process.memoryUsage().rss / 1024 / 1024 };
console.log(JSON.stringify(cost));
store.close();
await server.close();
await control.close();
await log.close();

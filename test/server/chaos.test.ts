import { type ChildProcess, spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { LoggedEvent } from '../../src/events/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { CuttingProxy } from './cutting-proxy.ts';

/** A thousand cuts where everything is checked, fewer where somebody waits for the tests. */
const cuts = Number(process.env['SINGLETREE_CHAOS_CUTS'] ?? (process.env['CI'] ? 1000 : 60));
const seed = Number(process.env['SINGLETREE_CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const restarts = 6;
const readersPerThread = 4;

const script = fileURLToPath(new URL('../support/chaos-server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'singletree-chaos-'));
const file = join(folder, 'log.db');

let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Starts the server, on the port it had before, and waits until it answers. */
async function startChild(port: number): Promise<string> {
  const started = spawn(process.execPath, [script, file, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  child = started;
  const lines = createInterface({ input: started.stdout });
  const [url] = (await Promise.race([once(lines, 'line'), once(started, 'exit')])) as [string | number | null];
  if (typeof url !== 'string') throw new Error(`the server ended with ${url}`);
  return url;
}

async function endChild(signal: NodeJS.Signals): Promise<void> {
  child?.kill(signal);
  await once(child as ChildProcess, 'exit');
}

function createRandom(from: number): () => number {
  let state = from >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

describe('connections that are cut and servers that are killed', () => {
  it(`lose and double nothing (seed ${seed})`, { timeout: 300_000 }, async () => {
    let url = await startChild(0);
    const port = Number(new URL(url).port);
    const proxy = new CuttingProxy(() => port, createRandom(seed));
    const wire = await proxy.open();
    const direct = createClient({ baseUrl: url });
    const ids: string[] = [];
    for (const agent of ['lasting', 'lasting', 'lasting', 'mortal']) {
      const { id } = await direct.createThread();
      await direct.sendMessage(id, { content: 'go', agent });
      ids.push(id);
    }

    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const seen = ids.flatMap(id =>
      Array.from({ length: readersPerThread }, () => ({ id, events: [] as LoggedEvent[] })),
    );
    const delay = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, Math.min(ms, 20)));
    const reading = seen.map(async ({ id, events }) => {
      const client = createClient({ baseUrl: wire, delay });
      for await (const event of client.watch(id, { signal: stop.signal, waitForServer: true })) events.push(event);
    });
    const failed = Promise.all(reading).then(() => {});

    for (let restart = 1; restart <= restarts; restart++) {
      const goal = Math.floor((cuts / (restarts + 1)) * restart);
      await Promise.race([vi.waitUntil(() => proxy.cuts >= goal, { timeout: 120_000, interval: 10 }), failed]);
      await endChild(restart % 3 === 0 ? 'SIGTERM' : 'SIGKILL');
      url = await startChild(port);
      for (const id of ids)
        if ((await direct.getThread(id)).runs.length === 0)
          await direct.sendMessage(id, { content: 'again', agent: id === ids[3] ? 'mortal' : 'lasting' });
    }
    await Promise.race([vi.waitUntil(() => proxy.cuts >= cuts, { timeout: 120_000, interval: 10 }), failed]);
    proxy.isCutting = false;
    for (const id of ids)
      await vi.waitUntil(async () => (await direct.getThread(id)).runs.length === 0, {
        timeout: 60_000,
        interval: 100,
      });

    const log = new SqliteLog(file);
    const stored = new Map<string, LoggedEvent[]>();
    for (const id of ids) stored.set(id, await log.read(id, { limit: 1_000_000 }));
    await vi.waitUntil(() => seen.every(({ id, events }) => events.length >= (stored.get(id)?.length ?? 0)), {
      timeout: 60_000,
    });
    stop.abort();
    await failed;
    for (const { id, events } of seen) expect(events).toEqual(stored.get(id));

    const ends = (id: string) => (stored.get(id) ?? []).flatMap(event => (event.type === 'harness_end' ? [event] : []));
    for (const id of ids) {
      const starts = (stored.get(id) ?? []).filter(event => event.type === 'harness_start');
      expect(
        ends(id)
          .map(event => event.runId)
          .toSorted(),
      ).toEqual(starts.map(event => event.runId).toSorted());
      expect((stored.get(id) ?? []).map(event => event.seq)).toEqual(
        (stored.get(id) ?? []).map((_, index) => index + 1),
      );
    }
    expect(ids.slice(0, 3).flatMap(id => ends(id).map(event => event.reason))).not.toContain('interrupted');
    expect(ends(ids[3] as string).map(event => event.reason)).toContain('interrupted');
    expect(proxy.cuts).toBeGreaterThanOrEqual(cuts);
    await log.close();
    proxy.close();
    await endChild('SIGTERM');
  });
});

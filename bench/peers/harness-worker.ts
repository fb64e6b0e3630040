import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, Setting } from './harness-contender.ts';

/** One measurement in a process of its own: `ours` or the folder of a peer, what is measured, and how much of it. */
const [who = 'ours', what = 'deltas', size = '10'] = process.argv.slice(2);
const count = Number(size);

async function contender(setting: Setting): Promise<Contender> {
  if (who === 'ours') return (await import('./harness-ours.ts')).ours(setting);
  return (await import('./harness-mastra.ts')).mastra(who, setting);
}

/** CPU time of the process in microseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** How many times the same is said: what runs for a while is compiled, as it is in a server. */
const rounds = 20;

/** What a person says and hears, with listeners: the first time in a process, and when it has run for a while. */
async function deltas(
  listen: (harness: Contender, heard: { events: number; bytes: number }) => void,
  { joined = false } = {},
) {
  const short = await contender({ words: 200 });
  await short.send('load what is loaded late');
  await short.close();
  const spent: number[] = [];
  let heard = { events: 0, bytes: 0 };
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const harness = await contender({ words: count, joined });
    heard = { events: 0, bytes: 0 };
    listen(harness, heard);
    spent.push((await cpuOf(() => harness.send('speak'))) / count);
    await harness.close();
    memory ||= process.resourceUsage().maxRSS / 1024;
  }
  const [first = 0] = spent;
  return { first, perDelta: Math.min(...spent), memory, ...heard };
}

/** What a long conversation on disk costs: the first messages of a process, and those when it has run for a while. */
async function sized() {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-bench-'));
  try {
    const harness = await contender({ words: 5, file: join(folder, 'threads.db'), joined: true });
    await harness.fill(count);
    await harness.send('load what is loaded late');
    const sends: number[] = [];
    for (let time = 0; time < 115; time++) sends.push(await timeOf(() => harness.send('go on')));
    const first = median(sends.slice(0, 15));
    const send = median(sends.slice(-15));
    let listed = 0;
    const list = await timeOf(async () => (listed = await harness.list()));
    const clone = await timeOf(() => harness.clone());
    await harness.close();
    return { send, first, list, clone, listed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

const measurements: Record<string, () => Promise<object>> = {
  events: () => deltas((harness, heard) => harness.subscribe(() => void heard.events++)),
  joined: () => deltas((harness, heard) => harness.subscribe(() => void heard.events++), { joined: true }),
  display: async () => {
    const { subscribeDisplay } = await contender({ words: 1 });
    if (subscribeDisplay === undefined) return {};
    return deltas((harness, heard) => harness.subscribeDisplay?.(() => void heard.events++));
  },
  bytes: () =>
    deltas((harness, heard) =>
      harness.subscribe(event => {
        if (event.type !== 'display_state_changed') heard.bytes += harness.serialise(event).length;
      }),
    ),
  sized,
  opened: async () => ({ ms: await (await import('./opened-run.ts')).openRun(count) }),
  reply: async () => {
    const harness = await contender({ words: 5 });
    await harness.send('hello');
    await harness.close();
    return {};
  },
};

const measure = measurements[what];
if (measure === undefined) throw new Error(`There is no measurement "${what}".`);
process.stdout.write(`${JSON.stringify(await measure())}\n`);
process.exit(0);

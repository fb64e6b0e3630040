import { fork } from 'node:child_process';
import { once } from 'node:events';
import { defineTool, loopAgent } from 'singletree/agents';
import { Harness, Supervisor } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { SqliteLog } from 'singletree/log';
import { startServer } from 'singletree/server';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';
import { collectGarbage } from './measure.ts';
import type { ProbeOrder, ProbeReport } from './prober.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const concurrentRuns = 200;
const callsOfRun = 20;
const longThread = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const runCounts = { few: 100, many: 2_000 };

/** Heavy work in one process leaves small requests quick, and costs the same in long threads. */
export async function* processLoad(): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  try {
    const idle = await duringRuns(folder.path('idle.db'), 0);
    const busy = await duringRuns(folder.path('runs.db'), concurrentRuns);
    const size = `${concurrentRuns} concurrent runs`;
    yield { claim: 'process: p95 of a small request while it is idle', size: 'no run', unit: 'ms', ours: idle.p95 };
    yield { claim: 'process: p95 of a small request during runs', size, unit: 'ms', ours: busy.p95 };
    yield* duringLongThread(folder.path('long.db'));
    const few = await sending(folder.path('few.db'), runCounts.few);
    const many = await sending(folder.path('many.db'), runCounts.many);
    const runs = `${runCounts.many.toLocaleString('en-US')} runs vs ${runCounts.few}`;
    yield { claim: 'process: a message in a long thread, p50', size: runs, unit: 'ms', ours: many.p50, peer: few.p50 };
    yield { claim: 'process: memory after them', size: runs, unit: 'MB', ours: many.megabytes, peer: few.megabytes };
  } finally {
    folder.remove();
  }
}

/** Small requests to a server while something else happens. */
async function probing(url: string, work: () => Promise<unknown>): Promise<ProbeReport> {
  const child = fork(new URL('./prober.js', import.meta.url));
  const order: ProbeOrder = { url, pauseMs: 2 };
  child.send(order);
  await once(child, 'message');
  await work();
  child.send('stop');
  return ((await once(child, 'message')) as [ProbeReport])[0];
}

const step = defineTool({
  name: 'step',
  description: 'takes a step',
  input: z.object({ number: z.number() }),
  execute: async ({ number }) => {
    await new Promise(resolve => setTimeout(resolve, 5));
    return number;
  },
});

function workerOf(calls: number) {
  const model = scriptedModel(
    ({ step: at }) =>
      at < calls
        ? [
            { text: 'A few words before each step.' },
            { toolCall: { id: `c${at}`, name: 'step', input: { number: at } } },
          ]
        : 'That was the last step, as far as anybody can say.',
    { keepRequests: 0 },
  );
  return loopAgent({ id: 'worker', model, tools: [step], permissions: { default: 'allow', rules: [] } });
}

async function serve(path: string, calls: number) {
  const log = new SqliteLog(path);
  const agent = workerOf(calls);
  const control = new Supervisor({ log, agents: [agent] });
  const agents = { list: () => [{ id: 'worker', name: 'worker' }], get: () => agent };
  const server = await startServer({ log, control, agents, port: 0, logStyle: 'off' });
  const close = async () => {
    await server.close();
    await control.close();
    await log.close();
  };
  return { log, agent, control, server, close };
}

async function duringRuns(path: string, count: number): Promise<ProbeReport> {
  const { log, agent, control, server, close } = await serve(path, callsOfRun);
  const { id } = await log.createThread();
  const report = await probing(`${server.url}/api/threads/${id}`, async () => {
    if (count === 0) await new Promise(resolve => setTimeout(resolve, 1000));
    const threads = await Promise.all(Array.from({ length: count }, () => log.createThread()));
    const runs = await Promise.all(threads.map(thread => control.start(thread.id, { agent, content: 'Go.' })));
    await Promise.all(runs.map(run => run.done));
  });
  await close();
  return report;
}

async function* duringLongThread(path: string): AsyncGenerator<Result> {
  const { log, server, close } = await serve(path, 0);
  const { id } = await log.createThread();
  const { id: long } = await log.createThread();
  const text = 'A line of text as an agent writes it, of about a hundred characters, so that it looks like work.';
  for (let at = 0; at < longThread; at += 1000) {
    const batch = Array.from(
      { length: Math.min(1000, longThread - at) },
      (_, index): AgentEvent => ({ type: 'custom', runId: 'run', name: 'line', data: `${at + index} ${text}` }),
    );
    await log.append(long, batch);
  }
  const size = `${longThread.toLocaleString('en-US')} events`;
  const url = `${server.url}/api/threads/${id}`;
  const exporting = await probing(url, async () => {
    const response = await fetch(`${server.url}/api/threads/${long}/export`);
    for await (const _ of response.body ?? []);
  });
  const deleting = await probing(url, () => fetch(`${server.url}/api/threads/${long}`, { method: 'DELETE' }));
  await close();
  yield { claim: 'process: p50 of a small request during an export', size, unit: 'ms', ours: exporting.p50 };
  yield { claim: 'process: p95 of a small request during an export', size, unit: 'ms', ours: exporting.p95 };
  yield { claim: 'process: p95 of a small request during a deletion', size, unit: 'ms', ours: deleting.p95 };
  yield { claim: 'process: longest small request during a deletion', size, unit: 'ms', ours: deleting.most };
}

/** Messages in a thread that has had many runs. */
async function sending(path: string, runs: number): Promise<{ p50: number; megabytes: number }> {
  const log = new SqliteLog(path);
  const harness = new Harness({ id: 'bench', storage: log, modes: [{ id: 'main', agent: workerOf(2) }] });
  await harness.createThread();
  collectGarbage();
  const before = process.memoryUsage().rss;
  const times: number[] = [];
  let most = before;
  for (let at = 0; at < runs; at++) {
    const start = performance.now();
    await harness.sendMessage({ content: `Message ${at}` });
    times.push(performance.now() - start);
    if (at % 50 === 0) most = Math.max(most, process.memoryUsage().rss);
  }
  const last = times.slice(-50).toSorted((a, b) => a - b);
  await harness.destroy();
  await log.close();
  return { p50: last[25] ?? 0, megabytes: (most - before) / 1e6 };
}

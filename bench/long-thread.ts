import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import type { AgentEvent } from 'singletree/events';
import { SqliteLog } from 'singletree/log';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How many events of about 1 KB; `LONG_THREAD_EVENTS=10000000` makes a thread of 10 GB. */
const count = Number(process.env['LONG_THREAD_EVENTS'] ?? 200_000);
const eventsPerStep = 4;
const perAppend = 2_000;
/** How many processes open the thread: the fastest counts, because other work of the machine is not what is measured. */
const openings = 3;
/** How often progress is printed. */
const reportMs = 10_000;

/** What the worker prints. */
export interface PageCost {
  /** Milliseconds until a client that opens the thread shows its first page, and for a page in the middle. */
  readonly firstMs: number;
  readonly middleMs: number;
  /** Megabytes of resident memory of the process that is server and client. */
  readonly residentMb: number;
}

/**
 * A thread of any length opens with one page: within 300 ms, in a process of at most 256 MB, before its words are
 * indexed and after.
 */
export async function* longThread(): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  try {
    const file = folder.path('long.db');
    await writeThread(file);
    yield* pagesOf(file, 'just written');
    await indexThread(file);
    yield* pagesOf(file, 'indexed');
  } finally {
    folder.remove();
  }
}

function* pagesOf(file: string, state: string): Generator<Result> {
  const worker = fileURLToPath(new URL('peers/long-thread-worker.js', import.meta.url));
  const open = () => JSON.parse(execFileSync(process.execPath, [worker, file]).toString()) as PageCost;
  const costs = Array.from({ length: openings }, open);
  const firstMs = Math.min(...costs.map(cost => cost.firstMs));
  const middleMs = Math.min(...costs.map(cost => cost.middleMs));
  const residentMb = Math.max(...costs.map(cost => cost.residentMb));
  const size = `${count.toLocaleString('en-US')} events, ${state}`;
  const goal = { atMost: 1 };
  yield { claim: 'long thread: first page vs 300 ms', size, unit: 'ms', ours: firstMs, peer: 300, goal };
  yield { claim: 'long thread: a page in the middle vs 300 ms', size, unit: 'ms', ours: middleMs, peer: 300, goal };
  yield { claim: 'long thread: resident memory vs 256 MB', size, unit: 'MB', ours: residentMb, peer: 256, goal };
}

/** One run, which is still under way. */
async function writeThread(file: string): Promise<void> {
  const log = new SqliteLog(file);
  await log.createThread({ id: 'long' });
  await log.append('long', [
    { type: 'user', runId: 'asked', content: 'Go far.' },
    { type: 'harness_start', runId: 'run', agentId: 'agent', parentId: 'asked:user' },
  ]);
  const report = progress(file, 'written');
  for (let at = 0; at < count; at += perAppend) {
    const steps = Math.min(perAppend, count - at) / eventsPerStep;
    await log.append('long', Array.from({ length: steps }, (_, index) => stepOf(at / eventsPerStep + index)).flat());
    report(() => at + perAppend);
  }
  await log.close();
  report(() => count, true);
}

/** As a running server does in the moments after an append. */
async function indexThread(file: string): Promise<void> {
  const log = new SqliteLog(file);
  const report = progress(file, 'indexed');
  const marks = new Database(file, { readonly: true });
  const mark = marks.prepare('SELECT max(after) AS seq FROM backlog');
  while ((await log.indexSome()).hasMore) report(() => (mark.get([]) as { readonly seq: number }).seq);
  marks.close();
  await log.close();
  report(() => count, true);
}

/** Prints how far the work is, now and then and at its end. */
function progress(file: string, verb: string): (events: () => number, isLast?: boolean) => void {
  const started = performance.now();
  let reported = started;
  return (events, isLast = false) => {
    const now = performance.now();
    if (!isLast && now - reported < reportMs) return;
    reported = now;
    const done = events();
    const many =
      done === undefined ? '' : `${done.toLocaleString('en-US')} of ${count.toLocaleString('en-US')} events `;
    const size = (statSync(file).size / 1e9).toFixed(2);
    console.error(`long thread: ${many}${verb} after ${((now - started) / 1000).toFixed(0)} s, file of ${size} GB`);
  };
}

/** Texts of different lengths, about 2 KB on average. */
function stepOf(step: number): AgentEvent[] {
  const id = `run/call-${step}`;
  const words = `line ${step} of what the tool has printed, `.repeat(15 + (step % 57));
  return [
    { type: 'step_start', runId: 'run', step },
    { type: 'text', runId: 'run', id: `run/text-${step}`, content: words },
    { type: 'tool_call', runId: 'run', id, name: 'read', input: { path: `file-${step}` } },
    { type: 'tool_result', runId: 'run', id, name: 'read', output: { context: words } },
  ];
}

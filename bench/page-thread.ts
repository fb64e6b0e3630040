import { fileURLToPath } from 'node:url';
import bundled from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Supervisor } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { SqliteLog } from 'singletree/log';
import { startServer } from 'singletree/server';
import { frameTasks } from './frame-tasks.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const sizes = [10_000, 100_000];
const deltasPerSecond = 200;
const seconds = Number(process.env['PAGE_STREAM_SECONDS'] ?? 20);
const perAppend = 2_000;
const atMost = { atMost: 1 };

/** A thread of any size opens in the page within a second, with few elements and little memory, and takes in a stream. */
export async function* pageThread(): AsyncGenerator<Result> {
  const browser = await chromium.launch({
    executablePath: await bundled.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--headless=new'],
  });
  try {
    for (const messages of sizes) yield* threadOf(messages, browser);
  } finally {
    await browser.close();
  }
}

async function* threadOf(messages: number, browser: Browser): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  const log = new SqliteLog(folder.path('page.db'));
  await writeThread(log, messages);
  const control = new Supervisor({ log, agents: [] });
  const webRoot = fileURLToPath(new URL('../../dist/web', import.meta.url));
  const server = await startServer({
    log,
    control,
    agents: { list: () => [], get: () => undefined },
    port: 0,
    webRoot,
  });
  const page = await browser.newPage();
  const row = { size: `${messages.toLocaleString('en-US')} messages`, goal: atMost };
  const url = `${server.url}/threads/long`;
  await page.goto(url);
  await page.locator('.row .prose').first().waitFor();
  await page.goto('about:blank');

  const firstMs = await visibleMs(page, url, `answer ${messages / 2}`);
  yield { ...row, claim: 'page: first message visible, vs a second', unit: 'ms', ours: firstMs, peer: 1_000 };
  const middle = Math.floor(messages / 4);
  const linkMs = await visibleMs(page, `${url}?at=${4 * (middle - 1) + 1}`, `question ${middle}`);
  yield { ...row, claim: 'page: a link into the middle visible, vs a second', unit: 'ms', ours: linkMs, peer: 1_000 };
  await page.keyboard.press('Home');
  await page.getByText('question 1', { exact: true }).waitFor();
  await page.keyboard.press('End');
  await page.getByText(`answer ${messages / 2}`, { exact: true }).waitFor();
  const nodes = Number(await page.evaluate('document.querySelectorAll("*").length'));
  yield { ...row, claim: 'page: elements, vs 3,000', unit: 'elements', ours: nodes, peer: 3_000 };
  yield { ...row, claim: 'page: heap, vs 150 MB', unit: 'MB', ours: await heapMb(page), peer: 150 };

  const tasks = await frameTasks(browser, page, () => stream(log));
  yield { ...row, claim: 'page: tasks while 200 deltas/s come, p99 vs 50 ms', unit: 'ms', ours: tasks.p99, peer: 50 };
  yield { ...row, claim: 'page: longest task of the stream, vs 200 ms', unit: 'ms', ours: tasks.longest, peer: 200 };
  yield { ...row, claim: 'page: heap after the stream, vs 150 MB', unit: 'MB', ours: await heapMb(page), peer: 150 };
  await page.close();
  await server.close();
  await control.close();
  await log.close();
  folder.remove();
}

/** The fewest milliseconds of a few tries from the navigation until a text is visible. */
async function visibleMs(page: Page, url: string, text: string): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5; tries++) {
    await page.goto('about:blank');
    const start = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByText(text, { exact: true }).waitFor();
    fewest = Math.min(fewest, performance.now() - start);
  }
  return fewest;
}

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1024 / 1024;
}

/** Appends one answer in many fragments, at a steady rate. */
async function stream(log: SqliteLog): Promise<void> {
  const runId = 'streamed';
  await log.append('long', [
    { type: 'user', runId: 'last', content: 'Write a lot.' },
    { type: 'harness_start', runId, agentId: 'agent', parentId: 'last:user' },
  ]);
  const started = performance.now();
  for (let sent = 0; sent < deltasPerSecond * seconds; ) {
    const due = Math.floor(((performance.now() - started) / 1_000) * deltasPerSecond);
    for (; sent < Math.min(due, deltasPerSecond * seconds); sent++)
      await log.append('long', [{ type: 'text', runId, id: `${runId}/text`, content: fragment(sent) }]);
    await new Promise(done => setTimeout(done, 2));
  }
  await log.append('long', [{ type: 'harness_end', runId, agentId: 'agent', reason: 'complete' }]);
}

function fragment(number: number): string {
  return number % 60 === 59 ? '.\n\n' : `word${number} `;
}

async function writeThread(log: SqliteLog, messages: number): Promise<void> {
  await log.createThread({ id: 'long' });
  const turns = Array.from({ length: messages / 2 }, (_, index) => turnOf(index + 1)).flat();
  for (let at = 0; at < turns.length; at += perAppend) await log.append('long', turns.slice(at, at + perAppend));
  // As after the moments in which a running server indexes what was appended.
  while ((await log.indexSome()).hasMore);
}

function turnOf(number: number): AgentEvent[] {
  const runId = `run-${number}`;
  return [
    { type: 'user', runId: `asked-${number}`, content: `question ${number}` },
    { type: 'harness_start', runId, agentId: 'agent', parentId: `asked-${number}:user` },
    { type: 'text', runId, id: `${runId}/text`, content: `answer ${number}` },
    { type: 'harness_end', runId, agentId: 'agent', reason: 'complete' },
  ];
}

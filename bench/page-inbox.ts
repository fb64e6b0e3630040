import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import bundled from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { Supervisor } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { SqliteLog } from 'singletree/log';
import { startServer } from 'singletree/server';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const pending = 1_000;
const webRoot = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const atMost = { atMost: 1 };

/** The first view and an inbox of a thousand open within a second, with little code and few elements. */
export async function* pageInbox(): AsyncGenerator<Result> {
  const kilobytes = { size: 'first view', unit: 'kB', ours: await initialKilobytes(), peer: 250, goal: atMost };
  yield { claim: 'page: initial JavaScript, gzipped, vs 250 kB', ...kilobytes };
  const folder = temporaryFolder();
  const log = new SqliteLog(folder.path('inbox.db'));
  for (let n = 0; n < pending; n++) await ask(log, n);
  const control = new Supervisor({ log, agents: [] });
  const agents = { list: () => [], get: () => undefined };
  const server = await startServer({ log, control, agents, port: 0, webRoot });
  const browser = await chromium.launch({
    executablePath: await bundled.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--headless=new'],
  });
  const page = await browser.newPage();
  /** The fewest milliseconds of a few tries from the navigation until a part is visible. */
  const visibleMs = async (path: string, part: string) => {
    let fewest = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5; tries++) {
      await page.goto('about:blank');
      const start = performance.now();
      await page.goto(server.url + path, { waitUntil: 'commit' });
      await page.locator(part).first().waitFor();
      fewest = Math.min(fewest, performance.now() - start);
    }
    return fewest;
  };
  const row = { size: `${pending.toLocaleString('en-US')} pending`, goal: atMost };
  const startMs = await visibleMs('/', '.composer');
  yield { ...row, claim: 'page: first view visible, vs a second', unit: 'ms', ours: startMs, peer: 1_000 };
  const inboxMs = await visibleMs('/inbox', '.inbox-row');
  yield { ...row, claim: 'page: inbox visible, vs a second', unit: 'ms', ours: inboxMs, peer: 1_000 };
  const elements = Number(await page.evaluate('document.querySelectorAll("*").length'));
  yield { ...row, claim: 'page: elements of the inbox, vs 3,000', unit: 'elements', ours: elements, peer: 3_000 };
  await browser.close();
  await server.close();
  await control.close();
  await log.close();
  folder.remove();
}

/** Adds a thread in which an agent asks. */
async function ask(log: SqliteLog, n: number): Promise<void> {
  const runId = `run-${n}`;
  const params = { command: `make target-${n}` };
  const call = { id: `call-${n}`, name: 'shell' };
  const events: AgentEvent[] = [
    { type: 'user', runId: `asked-${n}`, content: `question ${n}` },
    { type: 'harness_start', runId, agentId: 'agent', parentId: `asked-${n}:user` },
    { type: 'tool_call', runId, ...call, input: params },
    { type: 'relay', runId, id: `ask-${n}`, relayKind: 'permission', toolCallId: call.id, tool: call.name, params },
  ];
  const { id } = await log.createThread({ title: `Thread ${n}` });
  await log.append(id, events, { metadata: { [`relay:ask-${n}`]: { runId } } });
}

/** The scripts that the first view loads: those of the page, and what they import at once. */
async function initialKilobytes(): Promise<number> {
  const loaded = new Set<string>();
  let bytes = 0;
  const load = async (name: string): Promise<void> => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = await readFile(`${webRoot}${name}`, 'utf8');
    bytes += gzipSync(text).byteLength;
    for (const [, path = ''] of text.matchAll(/(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g))
      await load(`assets/${path}`);
  };
  const html = await readFile(`${webRoot}index.html`, 'utf8');
  for (const [, path = ''] of html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)) await load(path);
  return bytes / 1000;
}

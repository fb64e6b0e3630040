import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import bundled from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright-core';
import { Supervisor } from 'singletree/control';
import { SqliteLog } from 'singletree/log';
import { loopAgent } from 'singletree/agents';
import { scriptedModel } from 'singletree/testing';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const threads = 200;
const tries = 5;
const goalMs = 300;

/** A view: what opens it, as code of the page, and what is visible then. */
interface View {
  readonly name: string;
  readonly opens: string;
  readonly shows: string;
}

const goTo = (path: string) =>
  `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`;

/** Every view of the page that is open is shown within 300 ms of the click, from a server of the command. */
export async function* pageViews(): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  const db = folder.path('views.db');
  const threadId = await fill(db);
  const cwd = folder.path('project');
  mkdirSync(cwd);
  const { child, url } = await serve({ db, cwd, home: folder.path('home') });
  const browser = await chromium.launch({
    executablePath: await bundled.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--headless=new'],
  });
  const page = await browser.newPage();
  for (const view of viewsOf(threadId)) {
    let ours = Number.POSITIVE_INFINITY;
    for (let n = 0; n < tries; n++) ours = Math.min(ours, await openedMs(page, url, view));
    const size = `${threads} conversations`;
    yield { claim: `page: ${view.name} shown, vs 300 ms`, size, unit: 'ms', ours, peer: goalMs, goal: { atMost: 1 } };
  }
  await browser.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  folder.remove();
}

function viewsOf(threadId: string): readonly View[] {
  const thread = `/threads/${threadId}`;
  const search = `const field = document.querySelector('input[type=search]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'weather');
    field.dispatchEvent(new Event('input', { bubbles: true }))`;
  const lastCall = "[...document.querySelectorAll('.step-row[data-kind=model]')].at(-1).click()";
  return [
    { name: 'a conversation', opens: goTo(thread), shows: '.column [data-kind=user]' },
    { name: 'the inbox', opens: goTo('/inbox'), shows: '.inbox-row' },
    { name: 'the runs', opens: goTo(`${thread}/runs`), shows: '.step-row' },
    {
      name: 'a model call',
      opens: `${goTo(`${thread}/runs`)}; await shown('.step-row'); ${lastCall}`,
      shows: '.model-call',
    },
    { name: 'the rules', opens: goTo('/rules'), shows: '.rule-table' },
    { name: 'the models and keys', opens: goTo('/models'), shows: '.settings-rows li' },
    { name: 'the projects', opens: "document.querySelector('.project-picker button').click()", shows: '.project-menu' },
    { name: 'what a search found', opens: search, shows: '.search-hit' },
    { name: 'the comparison', opens: goTo('/compare'), shows: '.compare-start' },
    { name: 'the graph', opens: goTo(`${thread}/graph`), shows: '.graph-node' },
  ];
}

/** The milliseconds from the click on an open page until a frame shows the view. */
async function openedMs(page: Page, url: string, { opens, shows }: View): Promise<number> {
  await page.goto(url);
  await page.locator('.composer').waitFor();
  await page.locator('.thread-row').first().waitFor();
  return page.evaluate<number>(`(async () => {
    const shown = async part => {
      while (document.querySelector(part) === null) {
        if (performance.now() - start > 10_000) throw new Error('Nothing is shown at ' + part);
        await new Promise(requestAnimationFrame);
      }
    };
    const start = performance.now();
    ${opens};
    await shown(${JSON.stringify(shows)});
    return performance.now() - start;
  })()`);
}

/** Stores conversations with answers and one that waits; returns one with calls of a model. */
async function fill(db: string): Promise<string> {
  const log = new SqliteLog(db);
  const agent = loopAgent({ id: 'forecaster', instructions: 'You forecast.', model: scriptedModel(() => 'It rains.') });
  const control = new Supervisor({ log, agents: [agent] });
  let newest = '';
  for (let n = 0; n < threads; n++) {
    const { id } = await log.createThread({ title: `Conversation ${n}` });
    await (await control.start(id, { agent, content: `How is the weather of day ${n}?` })).done;
    newest = id;
  }
  const { id } = await log.createThread({ title: 'Waits' });
  await log.append(id, [
    { type: 'harness_start', runId: 'asks', agentId: 'forecaster' },
    { type: 'relay', runId: 'asks', id: 'ask', relayKind: 'question', question: 'Which day?' },
  ]);
  await control.close();
  await log.close();
  return newest;
}

async function serve(place: { db: string; cwd: string; home: string }): Promise<{ child: ChildProcess; url: string }> {
  const args = [command, 'serve', '--no-open', '--no-token', '--port', '0', '--db', place.db];
  const env = { PATH: process.env['PATH'], HOME: place.home, SINGLETREE_HOME: place.home };
  const child = spawn(process.execPath, args, { cwd: place.cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[^\s/]+/.exec(line)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error('The server ended before it printed its address.');
}

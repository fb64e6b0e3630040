import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { Supervisor } from '../../src/control/supervision/supervisor.ts';
import { type EventLog, MemoryLog } from '../../src/log/index.ts';
import { startServer } from '../../src/server/index.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage, webRoot } from './page-scene.ts';

const browser = await openBrowser();
const silent = scriptedAgent('silent', async function* () {});

let server: TestServer;
let page: Page;

const turn = (number: number): AgentEvent[] => {
  const runId = `r${number}`;
  const ts = new Date(1_700_000_000_000 + number * 60_000).toISOString();
  return [
    { type: 'user', runId: `u${number}`, content: `question ${number}`, ts },
    { type: 'harness_start', runId, agentId: 'silent', parentId: `u${number}:user`, ts },
    { type: 'text', runId, id: `${runId}/t`, content: `answer ${number}`, ts },
    { type: 'harness_end', runId, agentId: 'silent', reason: 'complete', ts },
  ];
};
const turns = (from: number, to: number): AgentEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => turn(from + index)).flat();

/** A thread with these events. */
async function threadOf(events: readonly AgentEvent[]): Promise<string> {
  const { id } = await server.log.createThread();
  for (let at = 0; at < events.length; at += 2_000) await server.log.append(id, events.slice(at, at + 2_000));
  return id;
}

/** A server over a log that outlives it. */
const serverOn = (kept: EventLog, port = 0) =>
  startServer({
    log: kept,
    control: new Supervisor({ log: kept, agents: [silent] }),
    agents: { list: () => [], get: () => undefined },
    port,
    webRoot,
  });

const open = (id: string, at?: number) =>
  page.goto(`${server.url}/threads/${id}${at === undefined ? '' : `?at=${at}`}`);
const log = () => page.getByRole('log');
const exactly = (text: string) => log().getByText(text, { exact: true });
const box = () => page.locator('.scroll');
const fromEnd = () => box().evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight);
const topOf = async (text: string) => (await exactly(text).boundingBox())?.y ?? Number.NaN;
const isInView = (text: string) =>
  exactly(text).evaluateAll(elements =>
    elements.some(element => {
      const frame = element.closest('.scroll')?.getBoundingClientRect();
      const { top } = element.getBoundingClientRect();
      return frame !== undefined && top >= frame.top - 1 && top < frame.bottom;
    }),
  );
/** Waits until the page has drawn twice: what was loaded is then in its place. */
const drawn = () =>
  page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))');

describe.skipIf(browser === undefined)('the conversation', () => {
  const scene = usePage(browser, [silent]);
  beforeEach(() => {
    ({ server, page } = scene);
  });

  it('has only the rows in view in the document, and reads only a few pages', async () => {
    const windows: string[] = [];
    page.on('request', request => request.url().includes('/window') && windows.push(request.url()));
    await open(await threadOf(turns(1, 3_000)));
    await exactly('answer 3000').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    expect(await log().locator('.row').count()).toBeLessThan(60);
    expect(windows.length).toBeLessThan(4);
  });

  it('keeps what is read in its place while earlier messages load, up to the first and down again', async () => {
    await open(await threadOf(turns(1, 900)));
    await exactly('answer 900').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    while (!(await isInView('question 1'))) {
      await box().evaluate(element => element.scrollTo(0, 0));
      await drawn();
    }
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    const before = await topOf('question 1');
    await drawn();
    expect(await topOf('question 1')).toBe(before);
    await page.keyboard.press('End');
    await exactly('answer 900').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    await page.keyboard.press('Home');
    await expect.poll(() => isInView('question 1')).toBe(true);
    await page.keyboard.press('PageDown');
    await expect.poll(() => isInView('question 1')).toBe(false);
    await page.keyboard.press('PageUp');
    await expect.poll(() => isInView('question 1')).toBe(true);
  });

  it('loads earlier messages above the reader without a jump', async () => {
    await open(await threadOf(turns(1, 600)));
    await exactly('answer 600').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    const measured = gate();
    await page.route('**/window**', async route => {
      await measured.opened;
      await route.continue();
    });
    const requested = page.waitForResponse(response => response.url().includes('before='));
    await box().evaluate(element => element.scrollTo(0, 900));
    await drawn();
    const text = await log().locator('.bubble').nth(1).innerText();
    const before = await topOf(text);
    measured.open();
    await requested;
    await expect.poll(() => box().evaluate(element => element.scrollTop)).toBeGreaterThan(1_500);
    await drawn();
    expect(Math.abs((await topOf(text)) - before)).toBeLessThan(3);
  });

  it('opens at the event of its address and marks it, and a message has a link to copy', async () => {
    const id = await threadOf(turns(1, 2_000));
    await open(id, 4 * 999 + 1);
    await exactly('question 1000').waitFor();
    await expect.poll(() => isInView('question 1000')).toBe(true);
    expect(await log().locator('.row[data-target="true"]').innerText()).toContain('question 1000');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await exactly('question 1000').hover();
    const row = log().locator('.row[data-target="true"]');
    await row.getByRole('button', { name: 'Copy link' }).click();
    await row.getByText('Link copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${server.url}/threads/${id}?at=${4 * 999 + 1}`);
    await page.getByRole('button', { name: 'Go to the newest' }).click();
    await exactly('answer 2000').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
  });

  it('shows a run of many thousand steps in rows of its own, from its end to its beginning', async () => {
    const runId = 'long-run';
    const steps = Array.from({ length: 5_000 }, (_, step): AgentEvent[] => [
      { type: 'step_start', runId, step },
      { type: 'tool_call', runId, id: `c${step}`, name: 'read', input: { path: `file-${step}` } },
      { type: 'tool_result', runId, id: `c${step}`, name: 'read', output: { context: 'ok' } },
    ]).flat();
    const id = await threadOf([
      { type: 'user', runId: 'asked', content: 'Go far' },
      { type: 'harness_start', runId, agentId: 'silent', parentId: 'asked:user' },
      ...steps,
    ]);
    await open(id);
    await exactly('file-4999').waitFor();
    await page.locator('.status-line').getByText('Working…').waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    await box().focus();
    await page.keyboard.press('Home');
    await exactly('Go far').waitFor();
    await exactly('file-0').waitFor();
    await server.log.append(id, [{ type: 'harness_end', runId, agentId: 'silent', reason: 'complete' }]);
    await page.locator('.status-line').filter({ hasNotText: 'Working' }).waitFor();
    await page.keyboard.press('End');
    await exactly('file-4999').waitFor();
    await open(id, 2 + 3 * 2_500);
    await exactly('file-2499').waitFor();
  });

  it('counts the rows that come while the reader is above the end, and does not move', async () => {
    const id = await threadOf(turns(1, 200));
    await open(id);
    await exactly('answer 200').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    await box().evaluate(element => element.scrollBy(0, -400));
    await page.getByRole('button', { name: 'Go to the newest' }).waitFor();
    await drawn();
    const text = await log().locator('.bubble').nth(1).innerText();
    const before = await topOf(text);
    await server.log.append(id, turns(201, 203));
    await page.getByRole('button', { name: 'Go to the newest, 9 new' }).waitFor();
    expect(await topOf(text)).toBe(before);
    await page.getByRole('button', { name: 'Go to the newest' }).click();
    await exactly('answer 203').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    await server.log.append(id, turn(204));
    await exactly('answer 204').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
  });

  it('folds the work of a run that ended to one line with its failures, and finished subagents', async () => {
    const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1_000).toISOString();
    const call = (id: string, name: string, output: object): AgentEvent[] => [
      { type: 'tool_call', runId: 'r', id, name, input: { path: `of ${id}`, command: `npm run ${id}` } },
      { type: 'tool_result', runId: 'r', id, name, output },
    ];
    const events: AgentEvent[] = [
      { type: 'user', runId: 'u', content: 'Mend it' },
      { type: 'harness_start', runId: 'r', agentId: 'silent', parentId: 'u:user' },
      ...call('a', 'edit', { context: 'ok' }),
      ...call('b', 'bash', { context: 'ok' }),
      ...call('c', 'bash', { error: 'exit 1' }),
      { type: 'tool_call', runId: 'r', id: 'd', name: 'agent', input: { task: 'look' } },
      { type: 'harness_start', runId: 's', agentId: 'reader', parentId: 'd' },
      { type: 'text', runId: 's', id: 's/t', content: 'Notes from below.' },
      { type: 'harness_end', runId: 's', agentId: 'reader', reason: 'complete' },
      { type: 'tool_result', runId: 'r', id: 'd', name: 'agent', output: { context: 'ok' } },
      { type: 'text', runId: 'r', id: 'r/t', content: 'It is mended.' },
      { type: 'harness_end', runId: 'r', agentId: 'silent', reason: 'complete' },
    ];
    const id = await threadOf(
      events.map((event, place) => ({ ...event, ts: at(place === events.length - 1 ? 180 : 0) })),
    );
    await open(id);
    await exactly('It is mended.').waitFor();
    const work = log().getByRole('button', {
      name: 'Worked for 3 min 0 s · 1 edit, 2 commands, 1 other call, 1 failed',
    });
    expect(await work.getAttribute('aria-expanded')).toBe('false');
    await log().getByText('exit 1').waitFor();
    expect(await log().getByRole('region', { name: 'Tool edit' }).count()).toBe(0);
    await work.click();
    await log().getByRole('region', { name: 'Tool edit' }).waitFor();
    const nested = log().getByRole('button', { name: 'Run of reader, Done' });
    expect(await exactly('Notes from below.').count()).toBe(0);
    await nested.click();
    await exactly('Notes from below.').waitFor();
    await nested.click();
    await expect.poll(() => exactly('Notes from below.').count()).toBe(0);
    await open(id, 11);
    await exactly('Notes from below.').waitFor();
  });

  it('begins a turn of the reader at the upper edge', async () => {
    await open(await threadOf(turns(1, 40)));
    await exactly('answer 40').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Now this');
    await page.keyboard.press('Enter');
    await exactly('Now this').waitFor();
    const frame = await box().boundingBox();
    await expect.poll(async () => (await topOf('Now this')) - (frame?.y ?? 0)).toBeLessThan(60);
    expect(await fromEnd()).toBeLessThan(2);
  });

  it('says that it is loading, then that it is empty', async () => {
    let go = () => {};
    const held = new Promise<void>(resolve => {
      go = resolve;
    });
    await page.route('**/window**', async route => {
      await held;
      await route.continue();
    });
    await open(await threadOf([]));
    await log().getByText('Loading the conversation…').waitFor({ state: 'attached' });
    go();
    await log().getByText('No messages yet').waitFor();
  });

  it('says that it does not exist', async () => {
    await open('nowhere');
    await log().getByText('Conversation not found').waitFor();
    await log().getByRole('link', { name: 'Start a new one' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/');
    scene.expectComplaint('404');
  });

  it('offers to sign in when the server refuses', async () => {
    await page.route('**/window**', route =>
      route.fulfill({ status: 401, contentType: 'application/json', body: '{}' }),
    );
    await open(await threadOf(turns(1, 1)));
    await log().getByText('You are signed out').waitFor();
    await log().getByRole('button', { name: 'Sign in' }).waitFor();
    scene.expectComplaint('401');
  });

  it('says when the server is gone, and continues without duplicates when it is back', async () => {
    await page.setViewportSize({ width: 1_000, height: 1_600 });
    const kept = new MemoryLog();
    const first = await serverOn(kept);
    const { id } = await kept.createThread();
    await kept.append(id, turns(1, 3));
    await page.goto(`${first.url}/threads/${id}`);
    await exactly('answer 3').waitFor();
    await first.close();
    await page.locator('.status-line').getByText('Connection lost. Trying again…').waitFor();
    await kept.append(id, turns(4, 5));
    const second = await serverOn(kept, Number(new URL(first.url).port));
    await exactly('answer 5').waitFor({ timeout: 20_000 });
    await expect.poll(() => page.locator('.status-line').innerText()).toBe('');
    expect(await log().locator('.bubble').allInnerTexts()).toEqual([1, 2, 3, 4, 5].map(number => `question ${number}`));
    await page.context().setOffline(true);
    await second.close();
    await page.locator('.status-line').getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    scene.expectComplaint('ERR_');
  });
});

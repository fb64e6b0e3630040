import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { asking } from '../support/page-agents.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const paid = scriptedAgent('paid', async function* ({ event }) {
  yield event('text', { id: 't', content: 'The marmalade is done.' });
  yield event('usage', { inputTokens: 10, outputTokens: 5, cost: 0.25 });
});
const failing = scriptedAgent('failing', () => {
  throw new Error('no luck');
});

/** Polls for as long as a busy machine may take. */
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

describe.skipIf(browser === undefined)('the list of conversations', () => {
  const scene = usePage(browser, [paid, asking, failing]);
  let server: TestServer;
  let page: Page;
  let client: Client;
  beforeEach(() => {
    ({ server, page } = scene);
    client = createClient({ baseUrl: server.url });
  });

  const list = () => page.getByRole('navigation', { name: 'Conversations' });
  const row = (title: string) => list().locator('.thread-row').filter({ hasText: title });
  const headings = () => list().getByRole('heading').allInnerTexts();
  const menu = async (title: string, item: string) => {
    await row(title).hover();
    await row(title)
      .getByRole('button', { name: `Actions of “${title}”` })
      .click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const begin = async (title: string, agent: string) => {
    const { id } = await client.createThread({ title });
    await client.sendMessage(id, { content: 'Go', agent });
    return id;
  };

  it('shows what waits first, how each stands, its agent and cost, live, and counts in the title', async () => {
    await page.goto(server.url);
    await list().getByText('No conversations yet').waitFor();
    await begin('Jam', 'paid');
    await row('Jam').getByText('$0.250').waitFor();
    await begin('Broken', 'failing');
    await row('Broken').getByText('Failed').waitFor();
    const waiting = await begin('Listing', 'asking');
    await list().getByRole('heading', { name: 'Waiting for you (1)' }).waitFor();
    expect(await headings()).toEqual(['Waiting for you (1)', 'Today']);
    await until(() => page.title()).toBe('(1) New conversation · Singletree');
    expect(await list().getByRole('link', { name: /Inbox/ }).innerText()).toContain('1');
    expect(await row('Jam').innerText()).toMatch(/paid · \$0\.250/);
    await expectReadable(page, 'html');
    await takePictures(page, 'threads');

    const [relay] = await client.listRelays();
    await client.answerRelay(waiting, relay?.id ?? '', { outcome: 'approve' });
    await until(() => page.title()).toBe('New conversation · Singletree');
    expect(await headings()).toEqual(['Today']);
  });

  it('renames, pins, archives and branches', async () => {
    await server.log.createThread({ title: 'Older' });
    await server.log.createThread({ title: 'Newer' });
    await page.goto(server.url);
    await menu('Older', 'Rename…');
    await page.getByLabel('Title').fill('Oldest');
    await page.keyboard.press('Enter');
    await row('Oldest').waitFor();
    await menu('Newer', 'Pin');
    await until(headings).toEqual(['Pinned', 'Today']);
    await menu('Oldest', 'Archive');
    await until(headings).toEqual(['Pinned']);
    await page.getByRole('button', { name: 'Show archived' }).click();
    await row('Oldest').getByText('Archived').waitFor();
    await menu('Newer', 'Branch');
    await page.getByRole('heading', { name: 'Newer (branch)' }).waitFor();
    expect((await client.listThreads()).map(({ title }) => title)).toContain('Newer (branch)');
  });

  it('deletes at once for the eye, and brings back on request', async () => {
    const id = await begin('Precious', 'paid');
    await page.goto(`${server.url}/threads/${id}`);
    await row('Precious').waitFor();
    await menu('Precious', 'Delete');
    await page.getByText('Deleted “Precious”.').waitFor();
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
    expect(await row('Precious').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('Precious').waitFor();
    expect((await client.getThread(id)).title).toBe('Precious');

    await menu('Precious', 'Delete');
    await page.goto('about:blank');
    await until(() => server.log.getThread(id)).toBeUndefined();
  });

  it('exports a conversation as one event on each line', async () => {
    await begin('A jar of jam', 'paid');
    await page.goto(server.url);
    await row('A jar of jam').getByText('$0.250').waitFor();
    const download = page.waitForEvent('download');
    await menu('A jar of jam', 'Export as JSONL');
    expect((await download).suggestedFilename()).toBe('A-jar-of-jam.jsonl');
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    expect(lines.map(line => (JSON.parse(line) as { type: string }).type)).toContain('harness_end');
  });

  it('exports a conversation as a page, as Markdown, as an ATIF trajectory and as spans', async () => {
    await begin('A jar of jam', 'paid');
    await page.goto(server.url);
    await row('A jar of jam').getByText('$0.250').waitFor();
    for (const [label, extension, words] of [
      ['web page', 'html', '<h1 dir="auto">A jar of jam</h1>'],
      ['Markdown', 'md', '# A jar of jam\n'],
      ['ATIF', 'json', '"schema_version":"ATIF-v1.7"'],
      ['OTLP', 'json', '"name":"invoke_agent paid"'],
    ] as const) {
      const download = page.waitForEvent('download');
      await menu('A jar of jam', `Export as ${label}`);
      expect((await download).suggestedFilename()).toBe(`A-jar-of-jam.${extension}`);
      expect(await readFile(await (await download).path(), 'utf8')).toContain(words);
    }
  });

  it('finds titles and messages, and opens the message', async () => {
    const id = await begin('Breakfast', 'paid');
    await server.log.createThread({ title: 'Marmalade shopping' });
    await page.goto(server.url);
    await row('Breakfast').getByText('$0.250').waitFor();
    await page.keyboard.press('Tab');
    await page.getByLabel('Search conversations').fill('marmalade');
    await list().getByRole('link', { name: 'Marmalade shopping' }).waitFor();
    await list()
      .getByRole('link', { name: /The marmalade is done/ })
      .click();
    await page.getByRole('log').getByText('The marmalade is done.').waitFor();
    expect(page.url()).toMatch(new RegExp(`/threads/${id}\\?at=\\d+&find=marmalade$`));
    await page.getByLabel('Search conversations').fill('nothing like it');
    await list().getByText('Nothing found for “nothing like it”.').waitFor();
  });

  it('opens, scrolls, searches and stays live with 10,000 conversations, few of them on the page', async () => {
    const oldest = await server.log.createThread({ title: 'Marmalade of long ago' });
    for (let n = 1; n < 10_000; n++) await server.log.createThread({ title: `Thread ${n} ${'x'.repeat(1000)}` });
    await page.goto(server.url);
    await row('Thread 9999').waitFor();
    const box = list().locator('.thread-list');
    const toEnd = () => box.evaluate(element => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => toEnd().then(() => row('Marmalade').count()), { timeout: 25_000, interval: 20 }).toBe(1);
    expect(await list().locator('.thread-row').count()).toBeLessThan(60);
    await client.sendMessage(oldest.id, { content: 'Go', agent: 'asking' });
    await until(() => page.title()).toMatch(/^\(1\)/);
    await box.evaluate(element => element.scrollTo(0, 0));
    await list().getByRole('heading', { name: 'Waiting for you (1)' }).waitFor();
    await page.getByLabel('Search conversations').fill('long ago');
    await list().getByRole('link', { name: 'Marmalade' }).click();
    await page.getByRole('heading', { name: 'Marmalade of long ago' }).waitFor();
  });

  it('groups by day or by folder, and keeps the choice', async () => {
    for (const [title, cwd] of [
      ['Cart', '/home/me/shop'],
      ['Hammer', '/home/me/tools'],
      ['Checkout', '/home/me/shop'],
      ['Talk', undefined],
    ] as const) {
      const { id } = await server.log.createThread({ title });
      await server.log.append(id, [
        { type: 'harness_start', runId: title, agentId: 'paid', ...(cwd !== undefined && { cwd }) },
        { type: 'harness_end', runId: title, agentId: 'paid', reason: 'complete' },
      ]);
    }
    await page.goto(server.url);
    await until(headings).toEqual(['Today']);
    await page.getByRole('button', { name: 'Group by folder' }).click();
    await until(headings).toEqual(['Without a folder', 'shop', 'tools']);
    expect(await list().getByRole('heading', { name: 'shop' }).getAttribute('title')).toBe('/home/me/shop');
    await expectReadable(page, 'html');
    await takePictures(page, 'threads-by-folder');
    await page.reload();
    await until(headings).toEqual(['Without a folder', 'shop', 'tools']);
    expect(await list().locator('.thread-row, .thread-heading').allInnerTexts()).toMatchObject([
      'Without a folder',
      expect.stringContaining('Talk'),
      'shop',
      expect.stringContaining('Checkout'),
      expect.stringContaining('Cart'),
      'tools',
      expect.stringContaining('Hammer'),
    ]);
  });

  it('says that the connection is lost, and goes on by itself', async () => {
    await server.log.createThread({ title: 'Before' });
    await page.route('**/api/changes', route => route.abort());
    await page.goto(server.url);
    await list().getByText('Connection lost. Trying again…').waitFor();
    await page.unroute('**/api/changes');
    await row('Before').waitFor();
    expect(await list().getByText('Connection lost').count()).toBe(0);
    scene.expectComplaint('Failed to load resource');
  });
});

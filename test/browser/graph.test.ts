import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { delegating } from '../support/page-agents.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable } from './view-checks.ts';

const browser = await openBrowser();

let server: TestServer;
let page: Page;

async function start(agent: string, message: string): Promise<Locator> {
  await page.goto(server.url);
  await page.getByLabel('Agent').selectOption(agent);
  await page.getByLabel('Message').fill(message);
  await page.keyboard.press('Enter');
  return page.getByRole('log');
}

describe.skipIf(browser === undefined)('the graph', () => {
  const scene = usePage(browser, [delegating]);
  beforeEach(() => ({ server, page } = scene));

  it('draws the conversation as a graph as it grows, and goes back to the thread', async () => {
    const log = await start('delegating', 'Read them');
    await log.getByText('Notes from below.').waitFor();
    const views = page.getByRole('navigation', { name: 'Views' });
    const toggle = views.getByRole('link', { name: 'Graph' });
    const drawing = page.getByRole('img', { name: 'Graph of the conversation' });
    const titles = () => drawing.locator('title').allTextContents();
    expect(await toggle.getAttribute('aria-current')).toBeNull();
    await toggle.click();
    expect(await toggle.getAttribute('aria-current')).toBe('page');
    await drawing.getByText('reader', { exact: true }).waitFor();
    expect(await log.count()).toBe(0);
    const begun = ['Subagent: reader', 'You: Read them', 'Call: agent', 'Text: Notes from below.', 'Asks you'];
    await expect.poll(titles).toEqual(begun);

    const [run] = server.control.running();
    if (!run) throw new Error('expected a run');
    await server.control.answer(run.threadId, 'q', { outcome: 'answer', answer: 'Long' });
    await expect.poll(titles).toEqual([...begun, 'Result: agent', 'Text: It will be Long.']);

    await page.keyboard.press('Escape');
    await log.getByText('It will be Long.').waitFor();
    expect(await drawing.count()).toBe(0);
    await toggle.click();
    await drawing.waitFor();
    await expectReadable(page);
    await views.getByRole('link', { name: 'Conversation' }).click();
    await log.getByText('It will be Long.').waitFor();
  });
});

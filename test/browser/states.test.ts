import type { Page, Route } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { Supervisor } from '../../src/control/supervision/supervisor.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { startServer } from '../../src/server/index.ts';
import { asking } from '../support/page-agents.ts';
import { gate } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage, webRoot } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const refuse = (route: Route) =>
  route.fulfill({ status: 400, json: { code: 'invalid_argument', title: 'The store cannot be read.', status: 400 } });

describe.skipIf(browser === undefined)('a view without its content', () => {
  const scene = usePage(browser, [asking]);
  let server: TestServer;
  let page: Page;
  beforeEach(() => ({ server, page } = scene));

  const look = async (name: string) => {
    await expectReadable(page, 'html');
    await takePictures(page, `state-${name}`);
  };

  it.each([
    ['list', '/', '**/api/threads?**', 'Loading the conversations', 'No conversations yet'],
    ['agents', '/', '**/api/agents', 'Loading', 'Agents found here'],
    ['inbox', '/inbox', '**/api/relays**', 'Loading the inbox', 'Nothing waits for you'],
    ['decisions', '/inbox/history', '**/api/decisions**', 'Loading the decisions', 'Nothing was decided yet'],
  ])('shows that it loads, then that it is empty: %s', async (name, path, request, loading, empty) => {
    const answered = gate();
    await page.route(request, async route => {
      await answered.opened;
      await route.continue();
    });
    await page.goto(server.url + path);
    await page.getByRole('progressbar', { name: loading, exact: true }).waitFor();
    await look(`${name}-loading`);
    answered.open();
    await page.getByText(empty).waitFor();
    await takePictures(page, `state-${name}-empty`);
  });

  it.each([
    ['list', '/', '**/api/changes', 'No conversations yet'],
    ['inbox', '/inbox', '**/api/relays**', 'Nothing waits for you'],
    ['decisions', '/inbox/history', '**/api/decisions**', 'Nothing was decided yet'],
  ])('shows why it failed, and tries again: %s', async (name, path, request, empty) => {
    await page.route(request, refuse);
    await page.goto(server.url + path);
    await page.getByRole('alert').waitFor();
    await look(`${name}-failed`);
    await page.unroute(request);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByText(empty).waitFor();
    scene.expectComplaint('400');
  });

  it('shows why a conversation failed', async () => {
    const { id } = await server.log.createThread();
    await page.route('**/window**', refuse);
    await page.goto(`${server.url}/threads/${id}`);
    await page.getByText('The conversation cannot be shown').waitFor();
    await look('conversation-failed');
    scene.expectComplaint('400');
  });

  it('shows that the code of a view cannot be loaded, and leaves it', async () => {
    await page.route('**/assets/inbox-*.js', route => route.abort());
    await page.goto(`${server.url}/inbox`);
    await page.getByText('This view cannot be shown').waitFor();
    await look('code-failed');
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
    scene.expectComplaint('ERR_FAILED');
    scene.expectComplaint('inbox-');
  });

  it('keeps what is shown and what is typed while the browser is offline, and continues without a word', async () => {
    const log = new MemoryLog();
    const control = new Supervisor({ log, agents: [asking] });
    const agents = { list: () => [{ id: 'asking', name: 'asking' }], get: () => asking };
    const first = await startServer({ log, control, agents, port: 0, webRoot });
    const { id } = await log.createThread({ title: 'Jam' });
    await log.append(id, [{ type: 'user', runId: 'u', content: 'Make jam.' }]);
    await page.goto(`${first.url}/threads/${id}`);
    await page.getByRole('log').getByText('Make jam.').waitFor();
    await page.getByLabel('Message').fill('And then marmalade');
    await page.context().setOffline(true);
    await first.close();
    await page.locator('.status-line').getByText('You are offline.').waitFor();
    await page.getByLabel('Message').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor({ timeout: 20_000 });
    expect(await page.getByLabel('Message').inputValue()).toBe('And then marmalade');
    expect(await page.getByRole('log').getByText('Make jam.').count()).toBe(1);
    await look('offline');
    const second = await startServer({ log, control, agents, port: Number(new URL(first.url).port), webRoot });
    await page.context().setOffline(false);
    await expect.poll(() => page.locator('.status-line').innerText(), { timeout: 15_000 }).toBe('');
    await expect.poll(() => page.getByText('Connection lost').count(), { timeout: 15_000 }).toBe(0);
    await page.goto('about:blank');
    await second.close();
    await control.close();
    scene.expectComplaint('ERR_');
  });
});

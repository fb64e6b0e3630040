import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { asking } from '../support/page-agents.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

/** Asks to run what cannot be undone. */
const risky = scriptedAgent(
  'risky',
  async function* ({
    event,
    answer,
    params: {
      run: { runId },
    },
  }) {
    const params = { command: 'rm -rf build' };
    const id = `${runId}/call`;
    yield event('tool_call', { id, name: 'shell', input: params });
    yield event('relay', { id: `${runId}/ask`, relayKind: 'permission', toolCallId: id, tool: 'shell', params });
    await answer(`${runId}/ask`);
  },
);

interface Shown {
  readonly body: string;
  readonly actions: readonly { readonly action: string }[];
  readonly data: unknown;
}

/** Records the notifications of the worker in `shown`, as a browser without a screen allows none; hides the page once `isAway` is set. */
const recordNotices = `
  globalThis.shown = [];
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  Notification.requestPermission = () => Promise.resolve('granted');
  ServiceWorkerRegistration.prototype.showNotification = (title, options) => Promise.resolve(void shown.push(options));
  Object.defineProperty(document, 'hidden', { get: () => 'isAway' in globalThis });
`;

describe.skipIf(browser === undefined)('approvals on the page', () => {
  const scene = usePage(browser, [asking, risky]);
  let server: TestServer;
  let page: Page;
  beforeEach(() => ({ server, page } = scene));
  const begin = async (title: string, agent = 'asking') => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread({ title });
    await client.sendMessage(id, { content: 'Go', agent });
    await until(async () => (await client.getThread(id)).status).toBe('waiting');
    return id;
  };
  const approve = async (threadId: string) => {
    const client = createClient({ baseUrl: server.url });
    const [relay] = await client.listRelays({ threadId });
    await client.answerRelay(threadId, relay?.id ?? '', { outcome: 'approve' });
  };
  const answersIn = async (threadId: string) =>
    (await server.log.read(threadId)).flatMap(event => (event.type === 'relay_resolved' ? [event] : []));
  const rows = () => page.locator('.inbox-row');
  const detail = () => page.getByRole('region', { name: 'What is asked' });

  it('are given from the notification of the browser; what cannot be undone only on the page', async () => {
    await page.addInitScript(recordNotices);
    await page.goto(`${server.url}/inbox`);
    await page.getByRole('button', { name: 'Notify me when something waits' }).click();
    await page.evaluate('globalThis.isAway = true');
    const id = await begin('Away');
    const danger = await begin('Danger', 'risky');
    const shown = () => page.evaluate<Shown[]>('shown');
    const actionsOf = ({ body, actions }: Shown) => [body, ...actions.map(({ action }) => action)];
    await until(async () =>
      (await shown()).map(actionsOf).toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
    ).toEqual([
      ['Run $ ls -la /srv', 'approve', 'reject'],
      ['Run $ rm -rf build\ndeletes build', 'reject'],
    ]);
    const data = (await shown()).find(({ body }) => body.includes('ls -la'))?.data;
    const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'));
    await worker.evaluate(`
      const notification = { data: ${JSON.stringify(data)}, close() {} };
      dispatchEvent(Object.assign(new Event('notificationclick'), { notification, action: 'approve', waitUntil() {} }));
    `);
    await until(() => answersIn(id)).toMatchObject([{ outcome: 'approve' }]);
    expect(await answersIn(danger)).toEqual([]);
  });

  it('are put off with a reminder, and show their age', async () => {
    await page.clock.install();
    await begin('First');
    await begin('Second');
    await page.goto(`${server.url}/inbox`);
    await until(() => rows().count()).toBe(2);
    await expectReadable(page, 'html');
    await takePictures(page, 'approvals-inbox');
    await page.getByRole('group', { name: 'Not now' }).getByRole('button', { name: '10 min' }).click();
    await until(() => rows().allInnerTexts()).toEqual([
      expect.stringMatching(/Second · just now$/),
      expect.stringMatching(/First · just now · reminds you at \d\d:\d\d$/),
    ]);
    await detail().getByText('Second').waitFor();
    await page.clock.runFor(11 * 60_000);
    await until(() => rows().allInnerTexts()).toEqual([
      expect.stringMatching(/First · 1[01] min\. ago$/),
      expect.stringMatching(/Second · 1[01] min\. ago$/),
    ]);
  });

  it('are given beside each other in a comparison', async () => {
    const threads = [await begin('One'), await begin('Two')];
    await page.goto(`${server.url}/compare?threads=${threads.join(',')}`);
    const states = page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'State' }) })
      .getByRole('cell');
    await until(() => states.getByText('waiting for you').count()).toBe(2);
    await expectReadable(page, 'html');
    await takePictures(page, 'approvals-compare');
    await states.last().getByRole('button', { name: 'Approve' }).click();
    await until(() => states.last().innerText()).toBe('complete');
    expect(await answersIn(threads[0] ?? '')).toEqual([]);
  });

  it('suggest the narrowest rule after the third time, and show it before it is saved', async () => {
    for (const title of ['One', 'Two']) await approve(await begin(title));
    await begin('Two more');
    await page.goto(`${server.url}/inbox`);
    await detail().getByText('ls -la /srv', { exact: true }).waitFor();
    const rule = page.getByRole('region', { name: 'Suggested rule' });
    expect(await rule.count()).toBe(0);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Nothing waits for you').waitFor();
    const id = await begin('Again');
    await rule.getByText('You approved this command three times.').waitFor();
    await rule.getByText('shell may run exactly “ls -la /srv” without asking').waitFor();
    await rule.getByText('The rule that is saved for all conversations').click();
    await rule.getByText('"command": "ls -la /srv"').waitFor();
    await expectReadable(page, 'html');
    await takePictures(page, 'approvals-rule');
    await rule.getByRole('button', { name: 'Approve, and save it for this conversation' }).click();
    await until(() => answersIn(id)).toMatchObject([{ outcome: 'approve', remember: 'thread' }]);
  });
});

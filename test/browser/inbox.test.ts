import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { AgentEvent, EventOf } from '../../src/events/index.ts';
import { presentRelay } from '../../src/projections/presentation/present-relay.ts';
import { asking, delegating } from '../support/page-agents.ts';
import { presentedFolder, presentedRelays } from '../support/presented.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();

/** Requests what only can be approved or rejected, and reports the answer. */
const strict = scriptedAgent(
  'strict',
  async function* ({
    event,
    answer,
    params: {
      run: { runId },
    },
  }) {
    const id = `${runId}/call`;
    yield event('tool_call', { id, name: 'edit', input: {} });
    yield event('relay', {
      id: `${runId}/ask`,
      relayKind: 'permission',
      toolCallId: id,
      tool: 'edit',
      category: 'edit',
      answers: ['approve', 'reject'],
      reason: 'The total needs a default.',
      params: { path: 'orders.sql' },
      diff: '--- a/orders.sql\n+++ b/orders.sql\n@@ -1 +1 @@\n-total numeric\n+total numeric default 0\n',
    });
    const { outcome, remember } = await answer(`${runId}/ask`);
    yield event('tool_result', { id, name: 'edit', output: { context: `${outcome} ${remember ?? 'once'}` } });
  },
);

/** Records notifications in `shown`, and hides the page once `isAway` is set. */
const recordNotifications = `
  globalThis.shown = [];
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = () => Promise.resolve('granted');
    constructor(title, { body }) {
      super();
      shown.push({ title, body, click: () => this.dispatchEvent(new Event('click')) });
    }
    close() {}
  };
  Object.defineProperty(document, 'hidden', { get: () => 'isAway' in globalThis });
`;

/** Polls for as long as a busy machine may take. */
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

describe.skipIf(browser === undefined)('the inbox', () => {
  const scene = usePage(browser, [asking, delegating, strict]);
  let server: TestServer;
  let page: Page;
  beforeEach(() => ({ server, page } = scene));

  const begin = async (title: string, agent: string) => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread({ title });
    await client.sendMessage(id, { content: 'Go', agent });
    await until(async () => (await client.getThread(id)).status).toBe('waiting');
    return id;
  };
  const rows = () => page.locator('.inbox-row');
  const detail = () => page.getByRole('region', { name: 'What is asked' });
  const answersIn = async (threadId: string) =>
    (await server.log.read(threadId)).flatMap(event => (event.type === 'relay_resolved' ? [event] : []));

  it('shows what every agent asks: who, why, and the exact command or change', async () => {
    await begin('Deploy', 'asking');
    await begin('Orders', 'strict');
    await begin('Notes', 'delegating');
    await page.goto(`${server.url}/inbox`);
    await until(() => rows().count()).toBe(3);
    await detail().getByText('ls -la /srv', { exact: true }).waitFor();
    expect(await detail().innerText()).toMatch(/asking asks[\s\S]*Deploy[\s\S]*Run this command\? \(shell\)/);
    await expectReadable(page, 'html');
    await takePictures(page, 'inbox');

    await rows().filter({ hasText: 'Orders' }).click();
    await detail().getByText('total numeric default 0').waitFor();
    await detail().getByText('The total needs a default.').waitFor();
    expect(await detail().getByText('Change it first').count()).toBe(0);
    await rows().filter({ hasText: 'Notes' }).click();
    await detail().getByText('How long?').waitFor();
    await detail().getByRole('button', { name: 'Short' }).click();
    await until(() => rows().count()).toBe(2);
  });

  it('is answered by keyboard alone: next, approve, for the conversation, reject with a reason, change', async () => {
    const ids = [];
    for (const title of ['One', 'Two', 'Three', 'Four']) ids.push(await begin(title, 'asking'));
    const [one = '', two = '', three = '', four = ''] = ids;
    await page.goto(`${server.url}/inbox`);
    await detail().getByText('One').waitFor();
    await page.keyboard.press('a');
    await detail().getByText('Two').waitFor();
    await page.keyboard.press('t');
    await detail().getByText('Three').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('a jar, please');
    await page.keyboard.press('Enter');
    await detail().getByText('Four').waitFor();
    await page.keyboard.press('e');
    const input = detail().getByLabel('Input');
    await until(() => input.evaluate(element => element.matches(':focus'))).toBe(true);
    await input.fill('{ "command": "ls /tmp" }');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing waits for you').waitFor();
    expect(await answersIn(one)).toMatchObject([{ outcome: 'approve' }]);
    expect(await answersIn(two)).toMatchObject([{ outcome: 'approve', remember: 'thread' }]);
    expect(await answersIn(three)).toMatchObject([{ outcome: 'reject', feedback: 'a jar, please' }]);
    expect(await answersIn(four)).toMatchObject([{ outcome: 'revise', input: { command: 'ls /tmp' } }]);
  });

  it('moves with J and K, and grants a category', async () => {
    await begin('One', 'asking');
    const orders = await begin('Two', 'strict');
    await page.goto(`${server.url}/inbox`);
    await detail().getByText('One').waitFor();
    await page.keyboard.press('j');
    await detail().getByText('Two').waitFor();
    await page.keyboard.press('k');
    await detail().getByText('One').waitFor();
    await page.keyboard.press('j');
    await detail().getByLabel('Always allow all of “edit” in this thread').check();
    await detail().getByRole('button', { name: 'Approve' }).click();
    await until(() => answersIn(orders)).toMatchObject([{ outcome: 'approve', remember: 'category' }]);
  });

  it('is live in all tabs, and keeps what is typed when something else is asked', async () => {
    const first = await begin('First', 'asking');
    await page.goto(`${server.url}/inbox`);
    const other = await (browser as Browser).newPage();
    await other.goto(`${server.url}/inbox`);
    await other.locator('.inbox-row').waitFor();
    await detail().getByLabel('Reason').fill('half a sent');
    await begin('Second', 'asking');
    await until(() => rows().count()).toBe(2);
    await page.keyboard.type('ence');
    expect(await detail().getByLabel('Reason').inputValue()).toBe('half a sentence');

    await other.locator('.inbox-row').filter({ hasText: 'First' }).click();
    await other.getByRole('button', { name: 'Approve' }).click();
    await until(() => rows().count()).toBe(1);
    expect(await answersIn(first)).toHaveLength(1);
    await other.close();
  });

  it('keeps a relay open that was answered elsewhere, and says so', async () => {
    const id = await begin('First', 'asking');
    await begin('Second', 'asking');
    await page.goto(`${server.url}/inbox`);
    await rows().filter({ hasText: 'First' }).click();
    await detail().getByLabel('Reason').fill('a draft');
    const run = server.control.running().find(({ threadId }) => threadId === id);
    await server.control.answer(id, `${run?.runId}/ask`, { outcome: 'approve' });
    await detail().getByText('This was answered elsewhere').waitFor();
    expect(await rows().count()).toBe(1);
  });

  it('lists who decided what and when', async () => {
    const id = await begin('Deploy', 'asking');
    await page.goto(`${server.url}/inbox`);
    await detail().getByLabel('Reason').fill('not there');
    await detail().getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('link', { name: 'Decided' }).click();
    const decision = page.locator('.decision-item');
    await decision.waitFor();
    expect(await decision.innerText()).toMatch(
      /Rejected[\s\S]*asking[\s\S]*Run \$ ls -la \/srv[\s\S]*not there[\s\S]*Deploy/,
    );
    await expectReadable(page, 'html');
    await takePictures(page, 'decisions');
    await decision.click();
    await until(() => page.url()).toBe(`${server.url}/threads/${id}`);
  });

  it('opens the one that the address names, on a phone as a page of its own', async () => {
    const id = await begin('Deploy', 'asking');
    await begin('Other', 'asking');
    const run = server.control.running().find(({ threadId }) => threadId === id);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${server.url}/inbox?relay=${encodeURIComponent(`${run?.runId}/ask`)}`);
    await detail().getByText('Deploy').waitFor();
    expect(await rows().first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await until(() => rows().count()).toBe(2);
    expect(await detail().isVisible()).toBe(false);
  });

  it('notifies with the command when the page is not visible, and a click opens it', async () => {
    await page.addInitScript(recordNotifications);
    await page.goto(`${server.url}/inbox`);
    await page.getByRole('button', { name: 'Notify me when something waits' }).click();
    await begin('Visible', 'asking');
    await until(() => rows().count()).toBe(1);
    expect(await page.evaluate('shown.length')).toBe(0);
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Waiting for you (1)' }).waitFor();
    await page.evaluate('globalThis.isAway = true');
    await begin('Away', 'asking');
    await until(() => page.evaluate('shown.map(({ title, body }) => [title, body])')).toEqual([
      ['asking asks', 'Run $ ls -la /srv'],
    ]);
    await page.evaluate('shown[0].click()');
    await detail().getByText('Away').waitFor();
  });

  it('shows a thousand with few rows on the page', async () => {
    const relay = { type: 'relay', relayKind: 'permission', tool: 'shell' };
    for (let n = 0; n < 1000; n++) {
      const runId = `run-${n}`;
      const { id } = await server.log.createThread({ title: `Thread ${n}` });
      const params = { command: `ls ${n}` };
      const events = [
        { type: 'harness_start', runId, agentId: 'asking', ts: new Date(0).toISOString() },
        { type: 'tool_call', runId, id: `${n}-call`, name: 'shell', input: params, ts: new Date(0).toISOString() },
        { ...relay, runId, id: `${n}-ask`, toolCallId: `${n}-call`, params, ts: new Date(n * 1000).toISOString() },
      ] as AgentEvent[];
      await server.log.append(id, events, { metadata: { [`relay:${n}-ask`]: { runId } } });
    }
    await page.goto(`${server.url}/inbox`);
    await rows().first().waitFor();
    expect(await page.getByRole('region', { name: '1000 waiting' }).count()).toBe(1);
    expect(await rows().count()).toBeLessThan(60);
    await page.keyboard.press('j');
    await detail().getByText('ls 1', { exact: true }).waitFor();
  });

  /** Stores relays that wait, each in a thread of its own, in the folder of the table. */
  const store = async (relays: typeof presentedRelays) => {
    for (const [n, [agentId, relay]] of relays.entries()) {
      const runId = `run-${n}`;
      const { id } = await server.log.createThread({ title: `Thread ${n}` });
      const ts = new Date(n * 1000).toISOString();
      const events = [
        { type: 'harness_start', runId, agentId, cwd: presentedFolder, ts },
        { type: 'relay', runId, id: `ask-${n}`, ...relay, ts },
      ] as AgentEvent[];
      await server.log.append(id, events, { metadata: { [`relay:ask-${n}`]: { runId } } });
    }
    await page.goto(`${server.url}/inbox`);
    await rows().first().waitFor();
  };

  it('has the words of the terminal for what every agent asks', async () => {
    await store(presentedRelays);
    const words = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
    for (const [n, [agentId, given]] of presentedRelays.entries()) {
      if (n > 0) await page.keyboard.press('j');
      await detail().getByText(`Thread ${n}`, { exact: true }).waitFor();
      const relay = { type: 'relay', runId: 'r', id: 'q', ...given } as EventOf<'relay'>;
      const asked = presentRelay(relay, { agentId, cwd: presentedFolder });
      const { title, command = '', plan = '', reason = '', risks, fields, options } = asked;
      const values = [...fields.map(({ name, value }) => `${name} ${value}`), ...options.map(({ label }) => label)];
      const shown = words(await detail().innerText());
      const steps = plan.split('\n').map(step => step.replace(/^\d+\. /, ''));
      for (const each of [title, command, ...steps, reason, ...risks, ...values]) expect(shown).toContain(words(each));
      const [line] = asked.changes.flatMap(({ content }) => content?.split('\n') ?? []);
      if (line !== undefined) await detail().locator('.diff').getByText(line, { exact: true }).waitFor();
      if (n === 2) await takePictures(page, 'inbox-edit');
    }
  });

  it('marks what cannot be undone, and approves it only by its button or its own key', async () => {
    await store(presentedRelays.slice(0, 2));
    const approve = () => detail().getByRole('button', { name: 'Approve' });
    await detail().getByText('deletes src; overwrites commits of the remote').waitFor();
    expect(await approve().getAttribute('type')).toBe('button');
    expect(await approve().getAttribute('class')).toBe('button risky');
    await expectReadable(page, 'html');
    await takePictures(page, 'inbox-risk');
    await page.keyboard.press('a');
    await detail().getByLabel('Always allow this in this thread').focus();
    await page.keyboard.press('Enter');
    expect(await rows().count()).toBe(2);
    await rows().nth(1).click();
    await detail().getByText('echo a > b', { exact: true }).waitFor();
    expect(await detail().locator('.relay-risk').count()).toBe(0);
    expect(await approve().getAttribute('type')).toBe('submit');
  });
});

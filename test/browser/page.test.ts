import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { steeredMessages } from '../../src/agents/steered-messages.ts';
import { asking, delegating } from '../support/page-agents.ts';
import { type Gate, gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { openBrowser, usePage, webRoot } from './page-scene.ts';
import { choose, chosenIn } from './view-checks.ts';

const browser = await openBrowser();
const hostile = '<img src=x onerror="document.title=1"> <b>bold</b> [x](javascript:alert(1))';

let more: Gate;
let answers: number;
let server: TestServer;
let page: Page;

const streamer = scriptedAgent('streamer', async function* ({ event, until, params }) {
  yield event('step_start', { step: 0, model: 'scripted/one' });
  yield event('reasoning', { id: 'r', content: 'Counting comes first.' });
  yield event('text', { id: 't', content: `One, two ${hostile}` });
  await until(more.opened);
  yield event('text', { id: 't', content: ' and three.\n\n```ts\nconst three = 3;\n```' });
  yield event('usage', { inputTokens: 1200, outputTokens: 34 });
  yield* steeredMessages(params);
});

/** Says how often it was asked, and what. */
const counting = scriptedAgent(
  'counting',
  async function* ({
    event,
    params: {
      conversation: { messages },
    },
  }) {
    const said = messages.flatMap(({ role, content }) => (role === 'user' ? [content as string] : []));
    yield event('text', { id: 't', content: `Answer ${++answers} to ${said.join(' and ')}.` });
  },
);

async function start(agent: string, message = 'Go on'): Promise<Locator> {
  await page.goto(server.url);
  await choose(page, 'Agent', agent);
  await page.getByLabel('Message').fill(message);
  await page.keyboard.press('Enter');
  return page.getByRole('log');
}

/** What was said, message by message. */
const shownIn = (log: Locator): Promise<string[]> => log.locator('.bubble, .prose').allInnerTexts();
const isFocused = (part: Locator): Promise<boolean> => part.evaluate(element => element.matches(':focus'));

describe.skipIf(browser === undefined)('the page', () => {
  const scene = usePage(browser, [streamer, asking, delegating, counting]);
  beforeEach(() => {
    more = gate();
    answers = 0;
    ({ server, page } = scene);
  });

  it('shows text as it streams, as text, and the same after a reload in the middle', async () => {
    const log = await start('streamer', 'Count to three');
    await log.getByText('One, two').waitFor();
    await page.getByRole('status').getByText('Working…').waitFor();
    expect(await log.getByText('and three').count()).toBe(0);
    expect(await log.innerText()).toContain(hostile);
    expect(await log.locator('img, b, a').count()).toBe(0);

    const before = await log.innerText();
    await page.reload();
    await log.getByText('One, two').waitFor();
    expect(await log.innerText()).toBe(before);

    more.open();
    await log.getByText('const three = 3;').waitFor();
    await page.getByText('1.2k tokens').waitFor();
    await page.locator('.status-line').filter({ hasNotText: 'Working' }).waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });

  it('shows a tool card that waits, and goes on when it is approved', async () => {
    const log = await start('asking');
    const card = log.getByRole('region', { name: 'Tool shell' });
    await card.getByText('Waiting for you').waitFor();
    expect(await card.innerText()).toContain('ls -la /srv');
    await card.getByLabel('Always allow this in this thread').check();
    await card.getByRole('button', { name: 'Approve' }).click();
    await log.getByText('Answer: approve thread.').waitFor();
    await card.locator('summary').first().click();
    await card.getByText('README.md').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
  });

  it('shows a call as denied when it is rejected, with the reason', async () => {
    const log = await start('asking');
    const card = log.getByRole('region', { name: 'Tool shell' });
    await card.getByLabel('Reason').fill('not there');
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.getByText('Denied').waitFor();
    await card.getByText('Rejected: not there').waitFor();
    await log.getByText('Answer: reject once.').waitFor();
  });

  it('shows an observer as one line with its observations behind it', async () => {
    const { id } = await server.log.createThread();
    await server.log.append(id, [
      { type: 'user', runId: 'u', content: 'Go.' },
      { type: 'harness_start', runId: 'a', parentId: 'u:user', agentId: 'counting' },
      { type: 'text', runId: 'a', id: 'a/t', content: 'Hello.' },
      {
        type: 'harness_start',
        runId: 'o',
        parentId: 'a',
        agentId: 'observer',
        memory: { operation: 'observation', background: true, tokens: 100 },
      },
      { type: 'harness_end', runId: 'a', agentId: 'counting', reason: 'complete' },
      { type: 'text', runId: 'o', id: 'o/t', content: '<observations>raw</observations>' },
    ]);
    await page.goto(`${server.url}/threads/${id}`);
    const log = page.getByRole('log');
    await log.getByText('Noting what was said…').waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    const covers = { from: 'u:user', to: 'a/t' };
    await server.log.append(id, [
      { type: 'summary', runId: 'o', id: 's', covers, kind: 'observation', active: false, text: 'User said Go.' },
      { type: 'harness_end', runId: 'o', agentId: 'observer', reason: 'complete' },
    ]);
    const line = log.getByText('Noted what was said');
    await line.waitFor();
    expect(await log.innerText()).not.toMatch(/User said Go|raw|summarised/);
    await line.click();
    await log.getByText('User said Go.').waitFor();
    expect(await log.innerText()).not.toContain('raw');
  });

  it('takes an answer that was given elsewhere', async () => {
    const log = await start('asking');
    await log.getByRole('button', { name: 'Approve' }).waitFor();
    const [run] = server.control.running();
    if (!run) throw new Error('expected a run');
    await server.control.answer(run.threadId, `${run.runId}/ask`, { outcome: 'approve' });
    await log.getByText('Answer: approve once.').waitFor();
    expect(await log.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('nests a run under the call that started it, and asks questions with choices', async () => {
    const log = await start('delegating');
    const card = log.getByRole('region', { name: 'Tool agent' });
    await log.getByRole('button', { name: 'Run of reader' }).waitFor();
    await log.getByText('Notes from below.').waitFor();
    await log.getByRole('button', { name: 'Long with all details' }).click();
    await log.getByText('It will be Long.').waitFor();
    await log.getByText('Answered: Long').waitFor();
    await card.getByText('the reader gave up').waitFor();
  });

  it('stops a run', async () => {
    const log = await start('asking');
    await log.getByText('Waiting for you').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await log.getByText('Stopped.').waitFor();
    await log.getByText('Not run').waitFor();
  });

  it('gives a message to the run under way, and shows that it waits to be read', async () => {
    const log = await start('streamer');
    await log.getByText('One, two').waitFor();
    await page.getByLabel('Message').fill('and four');
    await page.getByRole('button', { name: 'Send' }).click();
    await log.getByText('Will be read at the next step').waitFor();
    more.open();
    await log.getByRole('article', { name: 'You' }).getByText('and four').waitFor();
    expect(await log.getByText('Will be read at the next step').count()).toBe(0);
  });

  it('lists conversations, opens them, and has an address for each', async () => {
    more.open();
    const log = await start('streamer', 'First question');
    await log.getByText('const three').waitFor();
    const address = page.url();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /First question/ })
      .click();
    await log.getByText('const three').waitFor();
    expect(page.url()).toBe(address);
    await page.goBack();
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
  });

  it('fits a narrow screen, where the list opens from a button', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const log = await start('asking', `Go on ${'for a long while '.repeat(5)}`);
    const approve = log.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    for (const part of [log, page.locator('.top-bar h1'), page.getByLabel('Message')]) {
      const { x, width } = (await part.boundingBox()) ?? { x: -1, width: 0 };
      expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    }
    await page.getByRole('button', { name: 'Show the list of conversations' }).click();
    await page.getByRole('navigation').getByRole('link', { name: /Go on/ }).click();
    await approve.click();
    await log.getByText('Answer: approve once.').waitFor();
  });

  it('keeps the reader where they scrolled to, and follows the newest when they are there', async () => {
    await page.setViewportSize({ width: 900, height: 420 });
    const log = await start('streamer', 'line\n'.repeat(60));
    await log.getByText('One, two').waitFor();
    const box = page.locator('.scroll');
    const fromEnd = () => box.evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight);
    expect(await fromEnd()).toBeLessThan(2);
    await box.evaluate(element => element.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Go to the newest' }).waitFor();
    more.open();
    await page.locator('.status-line').filter({ hasNotText: 'Working' }).waitFor();
    expect(await box.evaluate(element => element.scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Go to the newest' }).click();
    await expect.poll(fromEnd).toBeLessThan(2);
  });

  it('edits a message: the new version is answered, and the old one stays beside it', async () => {
    const log = await start('counting', 'red');
    await log.getByText('Answer 1 to red.').waitFor();
    await log.getByRole('button', { name: 'Edit' }).click();
    const field = log.getByLabel('New text');
    expect(await field.inputValue()).toBe('red');
    await field.fill('never mind');
    await page.keyboard.press('Escape');
    await log.getByRole('article', { name: 'You' }).getByText('red').waitFor();
    expect(await isFocused(log.getByRole('button', { name: 'Edit' }))).toBe(true);

    await page.keyboard.press('Enter');
    await field.fill('green');
    await page.keyboard.press('Control+Enter');
    await log.getByText('Answer 2 to green.').waitFor();
    await log.getByText('Version 2 of 2').waitFor({ state: 'attached' });
    expect(await shownIn(log)).toEqual(['green', 'Answer 2 to green.']);

    await log.getByRole('button', { name: 'Previous version' }).click();
    await log.getByText('Answer 1 to red.').waitFor();
    expect(await shownIn(log)).toEqual(['red', 'Answer 1 to red.']);
    await page.reload();
    await log.getByText('Answer 1 to red.').waitFor();
    expect(await shownIn(log)).toEqual(['red', 'Answer 1 to red.']);

    await choose(page, 'Agent', 'counting');
    await page.getByLabel('Message').fill('blue');
    await page.keyboard.press('Enter');
    await log.getByText('Answer 3 to red and blue.').waitFor();
    await page.locator('.scroll').evaluate(element => element.scrollTo(0, 0));
    await log.getByRole('button', { name: 'Next version' }).click();
    await log.getByText('Answer 2 to green.').waitFor();
    expect(await shownIn(log)).toEqual(['green', 'Answer 2 to green.']);
  });

  it('asks the same agent again, and switches between its answers by keyboard', async () => {
    const log = await start('counting', 'red');
    await log.getByText('Answer 1 to red.').waitFor();
    await log.getByRole('button', { name: 'Retry' }).click();
    await log.getByText('Answer 2 to red.').waitFor();
    await log.getByRole('button', { name: 'Retry' }).click();
    await log.getByText('Answer 3 to red.').waitFor();
    expect(await shownIn(log)).toEqual(['red', 'Answer 3 to red.']);

    const previous = log.getByRole('button', { name: 'Previous version' });
    await previous.click();
    await log.getByText('Answer 2 to red.').waitFor();
    await page.keyboard.press('Enter');
    await log.getByText('Answer 1 to red.').waitFor();
    await log.getByText('Version 1 of 3').waitFor({ state: 'attached' });
    expect(await isFocused(previous)).toBe(true);
    expect(await previous.getAttribute('title')).toBe('This is the first version');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await log.getByText('Answer 2 to red.').waitFor();
    await page.reload();
    await log.getByText('Answer 2 to red.').waitFor();
    expect(await shownIn(log)).toEqual(['red', 'Answer 2 to red.']);
  });

  it('neither edits nor switches while a run is under way, and says why', async () => {
    const log = await start('streamer', 'Count');
    await log.getByText('One, two').waitFor();
    const edit = log.getByRole('button', { name: 'Edit' });
    expect(await edit.getAttribute('title')).toBe('Wait until the run has ended, or stop it');
    expect(await edit.isDisabled()).toBe(true);
    expect(await log.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    more.open();
    await log.getByRole('button', { name: 'Retry' }).click();
    await log.getByText('Version 2 of 2').waitFor({ state: 'attached' });
    await log.getByText('const three').waitFor();
    expect(await log.getByText('const three').count()).toBe(1);
  });

  it('keeps what could not be saved, with the reason', async () => {
    const log = await start('counting', 'red');
    await log.getByText('Answer 1 to red.').waitFor();
    await page.route('**/messages', route => route.abort());
    await log.getByRole('button', { name: 'Edit' }).click();
    await log.getByLabel('New text').fill('green');
    await log.getByRole('button', { name: 'Save' }).click();
    await log.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    expect(await log.getByLabel('New text').inputValue()).toBe('green');
    await page.unroute('**/messages');
    await log.getByRole('button', { name: 'Save' }).click();
    await log.getByText('Answer 2 to green.').waitFor();
    scene.expectComplaint('net::ERR_FAILED');
  });

  it('continues with the agent that answered last, unless another is chosen', async () => {
    const log = await start('counting', 'red');
    await log.getByText('Answer 1 to red.').waitFor();
    await page.reload();
    await log.getByText('Answer 1 to red.').waitFor();
    expect(await chosenIn(page, 'Agent')).toBe('counting');
    await page.getByLabel('Message').fill('blue');
    await page.keyboard.press('Enter');
    await log.getByText('Answer 2 to red and blue.').waitFor();
  });

  it('lets somebody in who signs in with the token, and nobody else', async () => {
    const guarded = await startTestServer([streamer], { webRoot, tokens: [{ token: 'the-right-token' }] });
    try {
      await page.goto(guarded.url);
      await page.getByLabel('Token').fill('a-wrong-token');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Token').fill('the-right-token');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Message').fill('Count');
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByText('One, two').waitFor();
      await page.goto(`${guarded.url}/api/reference`);
      await page.getByText('/api/threads/{threadId}/events').first().waitFor();
      scene.expectComplaint('401');
    } finally {
      more.open();
      await guarded.close();
    }
  });
});

import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { steeredMessages } from '../../src/agents/steered-messages.ts';
import { type Gate, gate, scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { choose, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();

let server: TestServer;
let page: Page;
let hold: Gate;

/** Answers when it is let, and adds what was said meanwhile. */
const worker = scriptedAgent('worker', async function* ({ event, until, params }) {
  yield event('text', { id: 't', content: 'Working on it.' });
  await until(hold.opened);
  yield* steeredMessages(params);
});

/** Writes a plan and an answer that can be commented on. */
const planner = scriptedAgent(
  'planner',
  async function* ({
    event,
    answer,
    params: {
      run: { runId },
    },
  }) {
    yield event('text', { id: 't', content: 'First thought.\n\nSecond thought.' });
    const change = { path: 'a.ts', old_string: 'one\ntwo', new_string: 'one\n2' };
    yield event('tool_call', { id: `${runId}/c`, name: 'edit', input: change });
    yield event('tool_result', { id: `${runId}/c`, name: 'edit', output: { context: 'Edited', result: { line: 4 } } });
    yield event('relay', { id: `${runId}/p`, relayKind: 'plan', planId: 'p', plan: '1. Read\n2. Delete everything' });
    await answer(`${runId}/p`);
  },
);

const queue = (): Locator => page.getByRole('region', { name: 'Messages for after this turn' });
const message = (): Locator => page.getByLabel('Message', { exact: true });

async function start(agent: string, text = 'Go'): Promise<Locator> {
  await page.goto(server.url);
  await choose(page, 'Agent', agent);
  await message().fill(text);
  await page.keyboard.press('Enter');
  return page.getByRole('log');
}

const sent = async () => {
  const [thread] = (await server.log.listThreads({})) as unknown as { id: string }[];
  const events = await server.log.read(thread?.id ?? '');
  return events.flatMap(event => (event.type === 'user' ? [event.content] : []));
};

describe.skipIf(browser === undefined)('the input field', () => {
  const scene = usePage(browser, [worker, planner]);
  beforeEach(() => {
    ({ server, page } = scene);
    hold = gate();
  });

  it('sends into the run with Enter, and queues for after it with Ctrl+Enter', async () => {
    const log = await start('worker');
    await log.getByText('Working on it.').waitFor();
    await message().fill('into the run');
    await page.keyboard.press('Enter');
    await log.getByText('Will be read at the next step').waitFor();
    await message().fill('afterwards');
    await page.keyboard.press('Control+Enter');
    await queue().getByText('afterwards').waitFor();
    hold.open();
    await vi.waitFor(async () => expect(await sent()).toEqual(['Go', 'into the run', 'afterwards']));
    await queue().waitFor({ state: 'detached' });
  });

  it('shows why a message waits for an agent that is not offered, and that removed text stays in the log', async () => {
    const { id } = await server.log.createThread({ title: 'Waits' });
    const waits = { delivery: 'follow_up', agent: 'stranger', order: 0 } as const;
    await server.log.append(id, [
      { type: 'user', runId: 'u', content: 'Go' },
      { type: 'message_queued', runId: 'q', id: 'm', content: 'for you', ...waits },
    ]);
    await page.goto(`${server.url}/threads/${id}`);
    await queue().getByText(`singletree run stranger --resume ${id}`).waitFor();
    await queue().getByText('Its text stays in the log.').waitFor();
    await page.getByText('Messages wait').waitFor();
    await queue().getByRole('button', { name: 'Remove' }).click();
    await queue().waitFor({ state: 'detached' });
    expect((await server.log.read(id)).map(({ type }) => type)).toEqual([
      'user',
      'message_queued',
      'message_withdrawn',
    ]);
  });

  it('shows what waits after a reload, and edits, removes and sends it now', async () => {
    const log = await start('worker');
    await log.getByText('Working on it.').waitFor();
    for (const text of ['one', 'two', 'three']) {
      await message().fill(text);
      await page.getByRole('button', { name: 'Queue for after this turn' }).click();
      await page.getByRole('listitem').getByText(text, { exact: true }).waitFor();
    }
    await page.reload();
    const item = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await item('one').getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text of the waiting message').fill('changed');
    await page.getByRole('button', { name: 'Save' }).click();
    await item('changed').waitFor();
    await item('two').getByRole('button', { name: 'Remove' }).click();
    await item('two').waitFor({ state: 'detached' });
    await item('three').getByRole('button', { name: 'Send now' }).click();
    await item('three').waitFor({ state: 'detached' });
    hold.open();
    await vi.waitFor(async () => expect(await sent()).toEqual(['Go', 'three', 'changed']));
  });

  it('moves what waits by keyboard and by pointer, and sends nothing while an entry is edited', async () => {
    await start('worker');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    for (const text of ['one', 'two', 'three']) {
      await message().fill(text);
      await page.keyboard.press('Control+Enter');
      await queue().getByText(text, { exact: true }).waitFor();
    }
    const texts = () => queue().locator('.queue-text').allInnerTexts();
    const grip = (text: string) => queue().getByRole('button', { name: `Move “${text}”` });
    await grip('three').focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(texts).toEqual(['one', 'three', 'two']);
    await page.keyboard.press('ArrowUp');
    await expect.poll(texts).toEqual(['three', 'one', 'two']);
    await takePictures(page, 'queue');
    await grip('three').hover();
    await page.mouse.down();
    await grip('two').hover();
    await page.mouse.up();
    await expect.poll(texts).toEqual(['one', 'two', 'three']);

    await queue().getByRole('listitem').first().getByRole('button', { name: 'Edit' }).click();
    await queue().getByText('Nothing is sent from here on while you edit.').waitFor();
    const [thread] = (await server.log.listThreads({})) as unknown as { id: string }[];
    const another = { owner: 'somebody', ttlMs: 1 };
    const held = () =>
      server.log.acquireLease(`queue:${thread?.id}`, another).then(
        () => 'free',
        (error: { code: string }) => error.code,
      );
    await expect.poll(held).toBe('lease_held');
    hold.open();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await queue().getByRole('listitem').count()).toBe(3);
    await page.getByLabel('Text of the waiting message').fill('first of all');
    await queue().getByRole('button', { name: 'Save' }).click();
    await vi.waitFor(async () => expect(await sent()).toEqual(['Go', 'first of all', 'two', 'three']));
    await queue().waitFor({ state: 'detached' });
  });

  it('keeps the draft of each thread across reloads', async () => {
    await start('worker');
    await page.getByRole('log').getByText('Working on it.').waitFor();
    await message().fill('half a thou');
    await page.reload();
    await page.getByRole('log').getByText('Working on it.').waitFor();
    expect(await message().inputValue()).toBe('half a thou');
    await page.goto(server.url);
    expect(await message().inputValue()).toBe('');
  });

  it('does not send while an input method composes, and sends with the key that was chosen', async () => {
    await page.goto(server.url);
    await message().fill('にほん');
    const composing = { key: 'Enter', bubbles: true, cancelable: true, isComposing: true };
    await message().dispatchEvent('keydown', composing);
    await message().dispatchEvent('keydown', { ...composing, isComposing: false, keyCode: 229 });
    expect(await message().inputValue()).toBe('にほん');
    await page.evaluate(`localStorage.setItem('singletree:preferences', '{"sendKey":"mod-enter"}')`);
    await page.reload();
    await message().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    expect(await message().inputValue()).toBe('にほん\n');
    await message().focus();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('log').getByText('Working on it.').waitFor();
  });

  it('attaches files by button, drop and paste; a large paste becomes a file', async () => {
    await page.goto(server.url);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByLabel('Files to attach').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
    const chips = page.getByRole('list', { name: 'Attachments' });
    await chips.getByText('a.png').waitFor();
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['dropped'], 'b.txt', { type: 'text/plain' }));
      document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      const paste = new DataTransfer();
      paste.setData('text/plain', 'x'.repeat(10000));
      document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: paste, bubbles: true, cancelable: true }));
    })()`);
    await chips.getByText('b.txt').waitFor();
    await chips.getByText('pasted-text.txt').waitFor();
    await chips.getByRole('button', { name: 'Remove pasted-text.txt' }).click();
    await message().fill('Look');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByRole('img', { name: 'Attached' }).waitFor();
    expect(await sent()).toMatchObject([
      [
        { type: 'text', text: 'Look' },
        { type: 'image', mediaType: 'image/png' },
        { type: 'file', filename: 'b.txt', mediaType: 'text/plain', data: Buffer.from('dropped').toString('base64') },
      ],
    ]);
  });

  it('refuses files that are too large, with the reason', async () => {
    await page.goto(server.url);
    const buffer = Buffer.alloc(6 * 1024 * 1024);
    await page.getByLabel('Files to attach').setInputFiles({ name: 'big.bin', mimeType: 'application/zip', buffer });
    await page.getByText('big.bin is too large').waitFor();
  });

  it('collects comments on answers, plans and lines of diffs, and sends them as one message', async () => {
    const log = await start('planner');
    await log.getByText('Second thought.').hover();
    await log.getByRole('button', { name: 'Comment on this' }).click();
    await page.getByLabel('Your comment').fill('Say more.');
    await page.getByRole('button', { name: 'Add comment' }).click();
    await log.getByText('Delete everything').hover();
    await log.getByRole('button', { name: 'Comment on this' }).click();
    await page.getByLabel('Your comment').fill('Keep it.');
    await page.keyboard.press('Control+Enter');
    const card = log.getByRole('region', { name: 'Tool edit' });
    await card.locator('summary').click();
    await card.locator('tr[data-line="added"] .diff-gutter').last().click();
    await page.getByLabel('Your comment').fill('Use words.');
    await page.keyboard.press('Control+Enter');
    await page.reload();
    const chips = page.getByRole('list', { name: 'Comments to send' });
    await chips.getByText('a.ts, line 5').waitFor();
    await chips.getByRole('button', { name: 'Answer Say more.' }).click();
    await page.getByLabel('Your comment').fill('Say less.');
    await page.getByRole('button', { name: 'Save comment' }).click();
    await chips.getByRole('button', { name: 'Remove the comment on Plan' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await chips.waitFor({ state: 'detached' });
    await log.getByText('Will be read at the next step').waitFor();
    const [thread] = (await server.log.listThreads({})) as unknown as { id: string }[];
    const request = (await server.log.read(thread?.id ?? '')).find(event => event.type === 'message_queued');
    expect(request).toMatchObject({
      content: 'On `a.ts`, line 5:\n\n> +2\n\nUse words.\n\nOn your answer:\n\n> Second thought.\n\nSay less.',
    });
  });

  it('comments by keyboard alone, on a line of an answer, of a plan and of a diff', async () => {
    const log = await start('planner');
    const comment = async (part: Locator, keys: readonly string[], text: string) => {
      await part.focus();
      for (const key of keys) await page.keyboard.press(key);
      await page.getByLabel('Your comment').waitFor();
      await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await comment(log.getByRole('group', { name: /^Answer/ }).first(), ['ArrowDown', 'Enter'], 'On the answer.');
    await comment(log.getByRole('group', { name: /^Plan/ }), ['ArrowDown', 'Enter'], 'On the plan.');
    await log.getByRole('region', { name: 'Tool edit' }).locator('summary').focus();
    await page.keyboard.press('Enter');
    const lines = log.getByRole('region', { name: 'Tool edit' }).locator('.diff-lines tr');
    await comment(lines.first(), ['ArrowDown', 'Shift+ArrowDown', 'Enter'], 'On two lines.');
    const chips = page.getByRole('list', { name: 'Comments to send' });
    await expect.poll(() => chips.getByRole('listitem').count()).toBe(3);
    await expectReadable(page);
    await takePictures(page, 'comments');
    expect(await chips.innerText()).toMatch(/Answer[\s\S]*Plan[\s\S]*a\.ts, lines? \d/);
  });

  it('shows tokens, cache, cost and the context that is left', async () => {
    await page.route('**/api/agents', async route => {
      const { agents } = (await (await route.fetch()).json()) as { agents: object[] };
      const contextWindows = { 'scripted/one': 1_000 };
      await route.fulfill({ json: { agents: agents.map(agent => ({ ...agent, contextWindows })) } });
    });
    const { id } = await server.log.createThread();
    const used = { inputTokens: 900, outputTokens: 50, cacheReadTokens: 450, cost: 0.25, model: 'scripted/one' };
    await server.log.append(id, [
      { type: 'user', runId: 'u', content: 'Go.' },
      { type: 'harness_start', runId: 'r', parentId: 'u:user', agentId: 'worker' },
      { type: 'usage', runId: 'r', callId: 'c', ...used },
      { type: 'harness_end', runId: 'r', agentId: 'worker', reason: 'complete' },
    ]);
    await page.goto(`${server.url}/threads/${id}`);
    await page.getByRole('button', { name: 'Usage: 95 % of the context used' }).click();
    expect(await page.locator('.meter-ring').getAttribute('data-full')).toBe('true');
    expect(await page.locator('.meter-popover > div').allInnerTexts()).toEqual([
      'Context\n950 of 1k, 5 % left',
      'Sent\n900 tokens',
      'From cache\n450, 50 %',
      'Received\n50 tokens',
      'Cost (estimated)\n≈ $0.250',
    ]);
  });
});

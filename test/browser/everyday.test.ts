import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { agentTool, coderAgent, loopAgent } from '../../src/agents/index.ts';
import { askUserLoopTool } from '../../src/agents/tools/people/ask-user.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
/** Polls for as long as a busy machine may take. */
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

const tasks = (...statuses: ('completed' | 'in_progress' | 'pending')[]) => ({
  tasks: statuses.map((status, index) => ({ id: `${index}`, content: `Step ${index + 1}`, status })),
});
/** Works through tasks and waits until it is stopped. */
const planner = scriptedAgent('planner', async function* ({ event, until: wait }) {
  yield event('text', { id: 'a', content: 'I begin with the list.' });
  yield event('tasks', tasks('completed', 'in_progress', 'pending'));
  await wait(new Promise(() => {}));
});
/** Starts two readers that read until they are stopped, and reports what came of them. */
const readers = (id: string) =>
  scriptedAgent(id, async function* ({ event, until: wait }) {
    yield event('text', { id: `${id}/t`, content: `The ${id} one reads.` });
    await wait(new Promise(() => {}));
  });
const delegating = loopAgent({
  id: 'delegating',
  permissions: { default: 'allow', rules: [] },
  tools: [
    agentTool({ agents: ['left', 'right'].map(id => ({ agent: readers(id), description: `the ${id} reader` })) }),
  ],
  model: scriptedModel([
    ['left', 'right'].map(agent => ({ toolCall: { name: 'agent', input: { agent, task: 'Read' } } })),
    'Both are over.',
  ]),
});
const echo = scriptedAgent(
  'echo',
  async function* ({
    event,
    params: {
      conversation: { messages },
    },
  }) {
    yield event('reasoning', { id: 'r', content: 'Hm.' });
    yield event('text', { id: 't', content: `Heard: ${JSON.stringify(messages.at(-1)?.content)}` });
  },
);

/** Asks a person with a tool, and repeats the answer. */
const curious = loopAgent({
  id: 'curious',
  permissions: { default: 'allow', rules: [] },
  tools: [askUserLoopTool],
  model: scriptedModel([
    [{ toolCall: { name: 'ask_user', input: { question: 'Which colour?', options: [{ label: 'Blue' }] } } }],
    'It will be blue.',
  ]),
});

/** Answers, and names the conversation after the message. */
const coder = coderAgent({
  model: scriptedModel(({ toolNames, lastUserText }) =>
    toolNames.length > 0 ? 'It reads twice.' : `Title: Title: ${/<person>\n(.*)/.exec(lastUserText)?.[1] ?? ''}`,
  ),
  cwd: '/',
  permissions: 'allow',
});

describe.skipIf(browser === undefined)('the page in everyday use', () => {
  const scene = usePage(browser, [echo, planner, delegating, curious, coder], { titles: 'model' });
  let server: TestServer;
  let page: Page;
  beforeEach(() => ({ server, page } = scene));
  const message = () => page.getByLabel('Message');
  const open = async (path = '/') => {
    await page.goto(server.url + path);
    await message().waitFor();
  };
  const send = async (text: string, agent = 'echo') => {
    await open(`/?agent=${agent}`);
    await message().fill(text);
    await page.keyboard.press('Enter');
  };

  it('stops a run with Escape, and keeps its open tasks in view', async () => {
    await send('Go', 'planner');
    const pinned = page.locator('.foot .pinned-tasks');
    await pinned.getByText('1 of 3 tasks done').waitFor();
    expect(await page.getByRole('log').getByText('Step 2').count()).toBe(0);
    await expectReadable(page, 'html');
    await takePictures(page, 'everyday-tasks');
    await page.keyboard.press('Escape');
    await page.getByRole('log').getByText('Stopped.').waitFor();
    await until(async () => (await server.log.read(threadIn(page))).at(-1)).toMatchObject({ reason: 'aborted' });
  });

  it('stops subagents one by one, and the run goes on', async () => {
    await send('Go', 'delegating');
    const log = page.getByRole('log');
    await log.getByText('The right one reads.').waitFor();
    await log.getByRole('button', { name: 'Stop only left' }).click();
    await log.getByRole('button', { name: 'Run of left, Ended early' }).waitFor();
    expect(await log.getByRole('button', { name: 'Run of right, Running' }).count()).toBe(1);
    await log.getByRole('button', { name: 'Stop only right' }).click();
    await log.getByText('Both are over.').waitFor();
    const results = (await server.log.read(threadIn(page))).filter(event => event.type === 'tool_result');
    expect(JSON.stringify(results)).toContain('A person stopped this subagent.');
  });

  it('has shortcuts that work while the message is empty, and lets every letter be typed', async () => {
    await open();
    await page.keyboard.type('new');
    expect(await message().inputValue()).toBe('new');
    await message().fill('');
    await page.keyboard.press('Alt+i');
    await page.getByText('Nothing waits for you').waitFor();
    await open();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await send('Hi');
    await page.getByRole('log').getByText('Heard: "Hi"').waitFor();
    await until(() => message().evaluate(element => element.matches(':focus'))).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    await page.getByRole('dialog', { name: 'Changes' }).waitFor();
  });

  it('copies an answer without its reasoning, and shows when messages came', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await send('Hi');
    await page.getByRole('button', { name: 'Copy answer' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('Heard: "Hi"');
    const times = page.getByRole('log').locator('time');
    expect(await times.allInnerTexts()).toEqual([expect.stringMatching(/^\d\d:\d\d$/), expect.any(String)]);
    await takePictures(page, 'everyday-answer');
  });

  it('marks the words that a search found', async () => {
    const { id } = await server.log.createThread({ title: 'Strawberries' });
    await server.log.append(id, [{ type: 'user', runId: 'u', content: 'Where do raspberries grow?' }]);
    await open();
    await page.getByLabel('Search conversations').fill('raspberries');
    await until(() => page.locator('.search-hit mark').allInnerTexts()).toEqual(['raspberries']);
    await expectReadable(page, 'html');
    await page.locator('.search-hit').click();
    await page.getByRole('log').getByText('Where do raspberries grow?').waitFor();
    const marked = () => page.evaluate<string[]>("[...(CSS.highlights.get('found') ?? [])].map(String)");
    await until(marked).toEqual(['raspberries']);
    expect(await page.locator('.row[data-target=true]').getAttribute('data-kind')).toBe('user');
    await takePictures(page, 'everyday-found');
    await page.getByRole('link', { name: 'New conversation' }).click();
    await until(marked).toEqual([]);
  });

  it('shows a question once, before and after its answer', async () => {
    await send('Go', 'curious');
    const question = page.getByRole('log').getByText('Which colour?');
    await page.getByRole('button', { name: 'Blue' }).waitFor();
    expect(await question.count()).toBe(1);
    await expectReadable(page, 'html');
    await takePictures(page, 'everyday-question');
    await page.getByRole('button', { name: 'Blue' }).click();
    await page.getByRole('log').getByText('It will be blue.').waitFor();
    expect(await question.count()).toBe(1);
  });

  it('wraps text without spaces at the width of a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const long = '吾輩は猫である名前はまだ無いどこで生れたか頓と見当がつかぬ'.repeat(6);
    await send(`${long}\n\nمرحبا بالعالم`);
    await page.getByRole('log').getByText('Heard:').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const bubble = page.locator('.bubble');
    expect(await bubble.evaluate(element => element.scrollWidth <= element.clientWidth)).toBe(true);
    await expectReadable(page, 'html');
    await takePictures(page, 'everyday-cjk');
  });

  it('has a title that the model made after the first turn, which follows an edit of the message', async () => {
    await send('Why is the parser slow?', 'coder');
    await page.getByRole('heading', { name: 'Title: Why is the parser slow?' }).waitFor();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByText('Title: Why is the parser slow?').waitFor();
    expect(await page.getByRole('log').getByText('title').count()).toBe(0);
    await takePictures(page, 'everyday-title');
    await page.getByRole('log').getByText('Why is the parser slow?').hover();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('New text').fill('Why is the printer slow?');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Title: Why is the printer slow?' }).waitFor();
  });

  it('offers the view of code only where code ran', async () => {
    const tab = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'REPL' });
    await send('Hi');
    await page.getByRole('log').getByText('Heard: "Hi"').waitFor();
    expect(await tab.count()).toBe(0);
    await server.log.append(threadIn(page), [{ type: 'repl_input', runId: 'r', id: 'c', code: '1' }]);
    await tab.waitFor();
  });

  it('says that an address is unknown', async () => {
    await page.goto(`${server.url}/nowhere`);
    await page.getByText('There is no page here').waitFor();
    await expectReadable(page, 'html');
    await takePictures(page, 'everyday-unknown');
    await page.getByRole('main').getByRole('link', { name: 'New conversation' }).click();
    await message().waitFor();
  });

  it('shows an error of the server that lasts as what it is, in the list and in the conversation', async () => {
    await send('Hi');
    await page.getByRole('log').getByText('Heard: "Hi"').waitFor();
    const failing = /\/api\/(?:changes|threads\/[^/]+\/(?:window|events))/;
    await page.route(failing, route => route.fulfill({ status: 500, body: 'broken' }));
    await page.reload();
    await page.locator('.status-line').getByText('The server answers with an error (HTTP 500).').waitFor();
    await page.locator('.sidebar').getByText('The server answers with an error (HTTP 500).').waitFor();
    await takePictures(page, 'everyday-error');
    await page.unroute(failing);
    await page.getByRole('log').getByText('Heard: "Hi"').waitFor({ timeout: 20_000 });
    scene.expectComplaint('500');
  });

  it('has no word of the log on it, and reads from right to left', async () => {
    await send('مرحبا بالعالم 日本語のメッセージ');
    await page.getByRole('log').getByText('Heard:').waitFor();
    await page.evaluate("document.documentElement.dir = 'rtl'");
    await expectReadable(page, 'html');
    await takePictures(page, 'everyday-rtl');
    for (const path of ['/', '/inbox', '/inbox/history', '/compare', '/usage', `/threads/${threadIn(page)}/playback`]) {
      await page.goto(server.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectReadable(page, 'html');
      expect(await page.locator('body').innerText()).not.toMatch(/\brelays?\b|a person|Whole in/i);
    }
  });
});

function threadIn(page: Page): string {
  return new URL(page.url()).pathname.split('/')[2] ?? '';
}

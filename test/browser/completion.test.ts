import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InvokeParams } from '../../src/agents/contract/agent.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { choose, chosenIn, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

const folder = mkdtempSync(join(tmpdir(), 'singletree-mentions-'));
mkdirSync(join(folder, 'src'));
for (const name of ['src/parser.ts', 'src/printer.ts', 'README.md']) writeFileSync(join(folder, name), 'x');

const scripted = scriptedAgent('echo', async function* ({ event, params }) {
  const { runId } = params.run;
  const { messages } = params.conversation;
  const commands = [{ name: 'deploy', description: 'puts it on the server' }, { name: 'compact' }];
  yield { type: 'session', runId, sessionId: 's', commands };
  yield event('text', { id: 't', content: `Heard: ${JSON.stringify(messages.at(-1)?.content)}` });
});
const echo = {
  ...scripted,
  async *invoke(params: InvokeParams) {
    for await (const event of scripted.invoke(params))
      yield event.type === 'harness_start' ? { ...event, cwd: folder } : event;
  },
};
const models = [
  'anthropic/claude-sonnet-5',
  'anthropic/claude-haiku-4-5',
  ...['a', 'b', 'c', 'd', 'e', 'f'].map(name => `local/${name}`),
];
const info = {
  id: 'echo',
  name: 'Echo',
  models,
  modes: [
    { id: 'build', name: 'Build' },
    { id: 'plan', name: 'Plan', description: 'reads only' },
  ],
  commands: [{ name: 'review', description: 'reviews a change', sends: 'Use the skill review. {argument}' }],
};
const agents = { list: () => [info, { id: 'other', name: 'Other' }], get: () => echo };

describe.skipIf(browser === undefined)('writing a message', () => {
  const scene = usePage(browser, [echo], { folder, agents } as never);
  let server: TestServer;
  let page: Page;
  beforeEach(async () => {
    ({ server, page } = scene);
    await page.goto(server.url);
    await message().waitFor();
    await until(() => chosenIn(page, 'Agent')).toBe('Echo');
  });
  const message = () => page.getByLabel('Message');
  const offered = (name: string) => page.getByRole('listbox', { name }).getByRole('option');
  const heard = (text: string) =>
    page
      .getByRole('log')
      .getByText(`Heard: ${JSON.stringify(text)}`)
      .waitFor();

  it('completes commands and their values by keyboard, and names the real defaults', async () => {
    expect([await chosenIn(page, 'Model'), await chosenIn(page, 'Mode')]).toEqual(['Sonnet 5', 'Build']);
    await message().pressSequentially('/mo');
    await until(() => offered('Commands').allInnerTexts()).toEqual([
      expect.stringContaining('/mode '),
      expect.stringContaining('/model '),
    ]);
    await expectReadable(page, 'html');
    await takePictures(page, 'composer-commands');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await message().inputValue()).toBe('/model ');
    await page.keyboard.type('haiku');
    await until(() => offered('Values').count()).toBe(1);
    await page.keyboard.press('Enter');
    await until(() => chosenIn(page, 'Model')).toBe('Haiku 4.5');
    expect(await message().inputValue()).toBe('');
    await page.keyboard.type('/inbox');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing waits for you').waitFor();
  });

  it('completes files of the project after an at sign, and sends skills as words', async () => {
    await message().pressSequentially('see @parse');
    await until(() => offered('Files').allInnerTexts()).toEqual(['src/parser.ts']);
    await takePictures(page, 'composer-files');
    await page.keyboard.press('Tab');
    expect(await message().inputValue()).toBe('see @src/parser.ts ');
    await message().fill('/review the parser');
    await page.keyboard.press('Enter');
    await heard('Use the skill review. the parser');
    await until(() => message().inputValue()).toBe('');
    await page.keyboard.press('ArrowUp');
    expect(await message().inputValue()).toBe('/review the parser');
    await page.keyboard.press('ArrowDown');
    expect(await message().inputValue()).toBe('');
    await message().fill('/rename Parsers');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Parsers' }).waitFor();
  });

  it('offers the commands that the program of an agent reported in its last run, and sends them as they are', async () => {
    await message().fill('Hello');
    await page.keyboard.press('Enter');
    await heard('Hello');
    await message().pressSequentially('/dep');
    await until(() => offered('Commands').allInnerTexts()).toEqual([
      expect.stringMatching(/^\/deploy[^]*puts it on the server/),
    ]);
    await takePictures(page, 'composer-reported');
    await message().fill('/com');
    await until(() => offered('Commands').allInnerTexts()).toEqual([
      expect.stringMatching(/^\/compact[^]*a command of Echo/),
      expect.stringMatching(/^\/compare/),
    ]);
    await message().fill('/deploy today');
    await page.keyboard.press('Enter');
    await heard('/deploy today');
  });

  it('leaves a list with Escape, and sends a slash that is no command', async () => {
    await message().pressSequentially('/mo');
    await offered('Commands').first().waitFor();
    await page.keyboard.press('Escape');
    await offered('Commands').first().waitFor({ state: 'detached' });
    await message().fill('/etc/hosts is what?');
    await page.keyboard.press('Enter');
    await heard('/etc/hosts is what?');
  });

  it('searches a long list of models, and fits a phone', async () => {
    await page.getByRole('button', { name: 'Model: ' }).click();
    await page.keyboard.type('haik');
    await until(() => offered('Model').allInnerTexts()).toEqual([expect.stringContaining('Haiku 4.5')]);
    await expectReadable(page, 'html');
    await takePictures(page, 'composer-picker-open');
    await page.keyboard.press('Enter');
    await choose(page, 'Mode', 'Plan');
    await page.setViewportSize({ width: 390, height: 800 });
    for (const [label, name] of [
      ['Agent', 'Echo'],
      ['Model', 'Haiku 4.5'],
      ['Mode', 'Plan'],
    ] as const) {
      expect(await chosenIn(page, label)).toBe(name);
      const text = page.getByRole('button', { name: `${label}: ` }).locator('span');
      expect(await text.evaluate(element => element.scrollWidth <= element.clientWidth)).toBe(true);
    }
    await takePictures(page, 'composer-pickers');
  });
});

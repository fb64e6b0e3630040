import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SetupInfo } from '../../src/protocols/index.ts';
import { asking } from '../support/page-agents.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { openBrowser, usePage, webRoot } from './page-scene.ts';
import { chosenIn, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const echo = scriptedAgent(
  'echo',
  async function* ({
    event,
    params: {
      conversation: { messages },
    },
  }) {
    yield event('text', { id: 't', content: `Heard: ${JSON.stringify(messages.at(-1)?.content)}` });
  },
);
const setup: SetupInfo = {
  folder: '~/shop',
  agents: [{ id: 'goose', name: 'Goose', isInstalled: false, install: 'brew install goose' }],
  keys: [{ name: 'Anthropic', variable: 'ANTHROPIC_API_KEY', isSet: false }],
};

/** Polls for as long as a busy machine may take. */
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

describe.skipIf(browser === undefined)('the shell of the page', () => {
  const scene = usePage(browser, [echo, asking]);
  let server: TestServer;
  let page: Page;
  beforeEach(() => ({ server, page } = scene));
  const isFocused = (label: string) => page.getByLabel(label).evaluate(element => element.matches(':focus'));

  it('begins with the agents that were found, how to add more, and a demo to click', async () => {
    const infos = [{ id: 'echo', name: 'Demo', description: 'Needs no key', suggestions: ['Say hello'] }];
    const own = await startTestServer([echo], {
      webRoot,
      pageTitle: 'Workshop',
      agents: { list: () => infos, get: () => echo, setup: () => setup },
    } as never);
    await page.goto(own.url);
    await page.getByText('Agents found here, working in ~/shop').waitFor();
    const note = page.getByRole('note');
    expect((await note.innerText()).split('\n')).toEqual([
      expect.stringMatching(/^No model yet: set ANTHROPIC_API_KEY.* and start the server again/),
      expect.stringContaining('the demo'),
    ]);
    expect(await page.getByText('export ANTHROPIC_API_KEY=…').isVisible()).toBe(false);
    await page.getByText('Add agents and models').click();
    await page.getByText('export ANTHROPIC_API_KEY=…').waitFor();
    await page.getByText('brew install goose').waitFor();
    expect(await page.title()).toBe('New conversation · Workshop');
    expect(await page.getByRole('navigation').innerText()).toContain('Workshop');
    await expectReadable(page, 'html');
    await takePictures(page, 'start');
    await page.getByRole('button', { name: 'Say hello' }).click();
    await page.getByRole('log').getByText('Heard: "Say hello"').waitFor();
    await page.goto('about:blank');
    await own.close();
  });

  it('sends to the agent that is clicked', async () => {
    await page.goto(server.url);
    await page.getByLabel('Message').fill('Go');
    await page.getByRole('button', { name: /^asking/ }).click();
    expect(await chosenIn(page, 'Agent')).toBe('asking');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByText('A listing first.').waitFor();
  });

  it('finds commands, conversations, messages and agents, and returns the focus', async () => {
    const { id } = await server.log.createThread({ title: 'Strawberries' });
    await server.log.append(id, [{ type: 'user', runId: 'u', content: 'Where do raspberries grow?' }]);
    await page.goto(server.url);
    await page.getByLabel('Message').focus();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Find' });
    const options = palette.getByRole('option');
    await options.filter({ hasText: 'Strawberries' }).waitFor();
    await expectReadable(page, 'html');
    await page.keyboard.press('Escape');
    await until(() => isFocused('Message')).toBe(true);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('raspberries');
    await options.filter({ hasText: 'Where do raspberries grow?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Strawberries' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('with asking');
    await options.filter({ hasText: 'New conversation with asking' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
    expect(await chosenIn(page, 'Agent')).toBe('asking');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dark theme');
    await page.keyboard.press('Enter');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('has shortcuts that leave a draft alone, and a sheet that lists them', async () => {
    await page.goto(server.url);
    await page.getByLabel('Message').fill('a draft: ');
    await page.keyboard.type('gin?');
    expect(await page.getByLabel('Message').inputValue()).toBe('a draft: gin?');
    await page.getByLabel('Message').blur();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.waitFor();
    await expectReadable(page, 'html');
    // The focus goes to nothing behind the sheet; the browser itself, whose turn it is between, is shown as the body.
    for (let n = 0; n < 4; n++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("dialog, nav, main")?.tagName ?? "BODY"')).toMatch(
        /^(?:DIALOG|BODY)$/,
      );
    }
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByText('Nothing waits for you').waitFor();
    await expectReadable(page, 'html');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await until(() => isFocused('Search conversations')).toBe(true);
  });

  it('keeps the theme and the key that sends', async () => {
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Settings' });
    await sheet.getByText('Dark').click();
    await sheet.getByText('Ctrl or ⌘ + Enter').click();
    await expectReadable(page, 'html');
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByLabel('Message').fill('One');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('log').getByText('Heard: "One\\ntwo"').waitFor();
  });

  it('offers to sign in again when the token is not known any more', async () => {
    const tokens = [{ token: 'token-of-ann', name: 'ann' }];
    const own = await startTestServer([echo], { webRoot, tokens });
    await page.goto(own.url);
    await page.getByLabel('Token').fill('token-of-ann');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No conversations yet').waitFor();
    await page.route('**/api/changes', route =>
      route.fulfill({
        status: 401,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: 'about:blank', title: 'x', status: 401, code: 'unauthorized', detail: 'x' }),
      }),
    );
    await page.reload();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await expectReadable(page, 'html');
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login?next=%2F');
    scene.expectComplaint('401');
    await page.goto('about:blank');
    await own.close();
  });

  it('stays usable at twice the size and without motion', async () => {
    await server.log.createThread({ title: 'Strawberries' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // Twice the size of 1280 × 800.
    await page.setViewportSize({ width: 640, height: 400 });
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(640);
    await page.getByRole('button', { name: 'Show the list of conversations' }).click();
    await page.getByRole('link', { name: /Strawberries/ }).click();
    await page.getByRole('heading', { name: 'Strawberries' }).waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });
});

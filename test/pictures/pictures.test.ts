import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { ModelScript } from '../../src/testing/index.ts';
import { installPrograms, programsReady, realProgram } from '../cli-agents/support/real-program.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { launchBrowser } from '../support/browser.ts';
import { CoderScene, command } from '../support/coder-scene.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ScreenRecorder } from './screen-recorder.ts';
import { terminalSvg } from './terminal-svg.ts';

/** Where the pictures go: `npm run pictures:docs` names the folder of the documents. */
const folder = process.env['SINGLETREE_PICTURES'] ?? mkdtempSync(join(tmpdir(), 'singletree-pictures-'));
/** The most bytes of a picture, so that a page loads fast. */
const most = 300_000;

const scenes: CoderScene[] = [];
const recorders: ScreenRecorder[] = [];
afterEach(async () => {
  for (const recorder of recorders.splice(0)) recorder.close();
  for (const scene of scenes.splice(0)) await scene.close();
});

const call = (name: string, input: object) => ({ toolCall: { name, input } });
const edit = { path: 'add.js', old_string: 'a - b', new_string: 'a + b' };
const found = '## Found it\n\n`add` **subtracts**:\n\n- `test.js` expects `add(2, 2)` to be 4\n- it is 0\n';
/** What the model says in the pictures of the chat and the page, and as Claude Code. */
const script: ModelScript = ({ step, toolNames, lastUserText }) => {
  if (toolNames.length === 0) return 'A title';
  if (toolNames.includes('Read')) return claudeTurns[step] ?? 'It adds now, and says so.';
  if (lastUserText.startsWith('Make')) return compared[step] ?? 'It adds now.';
  return turns[step] ?? 'It adds now, and the test passes.';
};
const turns = [
  [call('read', { path: 'add.js' })],
  [{ text: found }, call('edit', edit)],
  [call('bash', { command: 'node test.js' })],
];
const compared = [[call('read', { path: 'add.js' })], [call('edit', edit)]];
const claudeTurns = [
  [call('Read', { file_path: 'add.js' })],
  [call('Edit', { file_path: 'add.js', old_string: 'a - b;', new_string: 'a + b; // the sum' })],
];

async function openScene(from?: ModelScript): Promise<CoderScene> {
  const scene = await CoderScene.open(from);
  scenes.push(scene);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=you', '-c', 'user.email=you@example.com', ...args], {
      cwd: scene.repository,
    });
  git('add', '.');
  git('commit', '--quiet', '-m', 'Add a failing test');
  return scene;
}

/** Records a program with the command in its path. */
function record(
  { repository, home, env }: CoderScene,
  line: readonly [string, ...string[]],
  size: readonly [number, number],
) {
  const bin = join(dirname(home), 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'singletree'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`, { mode: 0o755 });
  const recorder = new ScreenRecorder(line, {
    cwd: repository,
    size,
    env: {
      ...bareEnvironment(),
      ...env,
      HOME: dirname(home),
      SINGLETREE_HOME: home,
      PATH: [bin, dirname(process.execPath), process.env['PATH']].join(delimiter),
      PS1: '$ ',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    },
  });
  recorders.push(recorder);
  return recorder;
}

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
  expect(Buffer.byteLength(content)).toBeLessThan(most);
}

describe('the recording of the README', () => {
  it('asks, is killed, starts again, asks again, and is done', { timeout: 120_000 }, async () => {
    const scene = await openScene();
    const shell = record(scene, ['bash', '--norc', '--noprofile', '-i'], [92, 24]);
    shell.caption = 'an agent asks before it acts';
    await shell.shows('$', 600);
    await shell.types('singletree run coder "fix the failing test"');
    shell.press('\r');
    await shell.shows(/node test\.js\n.*y once/, 1_800);
    shell.press('y\r');
    await shell.shows(/\? Edit add\.js\?[^]*y once/, 2_000);
    shell.caption = 'kill -9';
    shell.killChild();
    await shell.shows('Killed', 1_800);
    shell.caption = 'start again: the question waits';
    await shell.types('singletree run coder --resume last');
    shell.press('\r');
    await shell.shows(/Killed[^]*\? Edit add\.js\?[^]*y once/, 2_200);
    expect(scene.source()).toContain('a - b');
    shell.caption = 'approve';
    shell.press('y\r');
    await shell.shows(/Edited add\.js[^]*y once/, 1_600);
    shell.press('y\r');
    shell.caption = 'done: nothing was lost, nothing happened twice';
    await shell.shows(/the test passes[^]*thread [^]*\$$/, 3_500);
    expect(scene.source()).toContain('a + b');
    write('recording.svg', terminalSvg(shell.frames, shell.columns));
  });
});

describe('the picture of the terminal', () => {
  it('is a chat that shows Markdown and asks before an edit', { timeout: 60_000 }, async () => {
    const chat = record(await openScene(script), [process.execPath, command, 'chat'], [92, 24]);
    await chat.shows('Enter sends', 0);
    chat.press('fix the failing test');
    await chat.shows('› fix the failing test', 0);
    chat.press('\r');
    chat.caption = 'singletree chat';
    await chat.shows(/Edit add\.js\?[^]*\+.*a \+ b/, 0);
    write('terminal.svg', terminalSvg(chat.frames.slice(-1), chat.columns));
  });
});

const browser = await launchBrowser('the pictures of the page');
const hasClaude = programsReady('the picture of a comparison', ['claude']);

describe.skipIf(browser === undefined)('the pictures of the page', () => {
  let page: Page;
  let product: Product;
  let scene: CoderScene;
  beforeAll(() => installPrograms(hasClaude ? ['claude'] : []), 600_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.close();
    await product.end('SIGTERM');
  });
  async function open(env: Readonly<Record<string, string>> = {}): Promise<void> {
    product = await startProduct(scene.home, 0, {
      cwd: scene.repository,
      env: { ...scene.env, HOME: dirname(scene.home), ...env },
    });
    page = await (browser as Browser).newPage({ viewport: { width: 1280, height: 880 } });
    await page.goto(product.link);
  }
  async function take(name: string): Promise<void> {
    await page.emulateMedia({ colorScheme: name.includes('dark') ? 'dark' : 'light', reducedMotion: 'reduce' });
    const path = join(folder, name);
    await page.screenshot({ path, animations: 'disabled' });
    expect(statSync(path).size).toBeLessThan(most);
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
  }

  it('show a conversation that asks, on a desk and on a phone, and the inbox', { timeout: 120_000 }, async () => {
    scene = await openScene(script);
    await open();
    await page.getByLabel('Message').fill('fix the failing test');
    await page.getByRole('button', { name: 'Send' }).click();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor({ timeout: 30_000 });
    const thread = page.url();
    await take('page.png');
    await take('page-dark.png');
    await page.setViewportSize({ width: 390, height: 800 });
    await take('phone.png');
    await page.setViewportSize({ width: 1280, height: 880 });
    await page.goto(new URL('/inbox', thread).href);
    await page.getByText('a + b').first().waitFor();
    await take('inbox.png');
  });

  it('show the graph of a run with a subagent', { timeout: 60_000 }, async () => {
    scene = await openScene(script);
    await scene.run('demo');
    await open();
    const [thread] = await createClient({ baseUrl: product.url, token: product.token }).listThreads();
    await page.goto(new URL(`/threads/${thread?.id}/graph`, product.url).href);
    await page.getByLabel('Folded').uncheck();
    await page.getByRole('img', { name: 'Group: reader' }).waitFor();
    await take('graph.png');
  });

  it.skipIf(!hasClaude)('show two agents that are compared', { timeout: 120_000 }, async () => {
    scene = await openScene(script);
    const { executable = '', env = {} } = realProgram('claude', scene.model.url);
    const { HOME: _home, ...variables } = env as Record<string, string>;
    const PATH = [dirname(executable), process.env['PATH']].join(delimiter);
    await open({ ...variables, PATH });
    const client = createClient({ baseUrl: product.url, token: product.token });
    await page.goto(new URL('/compare', product.url).href);
    await page.getByLabel('Request').fill('Make add() add.');
    for (const name of ['Coder', 'Claude Code']) await page.getByLabel(name, { exact: true }).check();
    await page.getByRole('button', { name: 'Start 2 agents' }).click();
    const isDone = async () => {
      for (const { threadId, id } of await client.listRelays())
        await client.answerRelay(threadId, id, { outcome: 'approve' });
      return page.getByRole('cell', { name: 'complete', exact: true }).count();
    };
    await expect.poll(isDone, { timeout: 60_000 }).toBe(2);
    await expect.poll(() => page.getByRole('region', { name: 'Diffs' }).getByText('add.js').count()).toBe(2);
    // The list of conversations is looked at twice a second: it may be a moment behind the table.
    await page.getByRole('heading', { name: 'Running' }).waitFor({ state: 'detached' });
    // Without the folders of the worktrees, which are temporary here.
    await page.setViewportSize({ width: 1280, height: 715 });
    await take('compare.png');
  });
});

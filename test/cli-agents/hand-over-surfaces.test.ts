import { rmSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { choose } from '../browser/view-checks.ts';
import { launchBrowser } from '../support/browser.ts';
import { startProduct } from '../support/product.ts';
import { ChatScene } from '../terminal/chat-scene.ts';
import { answer, HandOverScene, lastMark, outline, turns } from './support/hand-over-scene.ts';
import { installPrograms, programsReady, realProgram } from './support/real-program.ts';

const names = ['claude', 'codex'];
const isReady = programsReady('hand over in the chat and on the page', names);
const browser = isReady ? await launchBrowser('hand over on the page') : undefined;
afterAll(() => browser?.close());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.skipIf(!isReady)('a conversation with a real program', { timeout: 120_000 }, () => {
  beforeAll(() => installPrograms(names), 600_000);

  it('is handed to another one by /agent in the chat, with every call and result', async () => {
    const env = (url: string) => {
      const programs = names.map(name => realProgram(name, url));
      for (const { cwd } of programs) cleanups.push(() => rmSync(dirname(cwd), { recursive: true, force: true }));
      const PATH = [...programs.map(({ executable = '' }) => dirname(executable)), process.env['PATH']].join(delimiter);
      return Object.assign({}, ...programs.map(program => program.env), { PATH }) as Record<string, string>;
    };
    const chat = await ChatScene.start(answer, { env, args: ['claude', '--yolo'] });
    cleanups.push(async () => {
      if (chat.exitCode === undefined) process.kill(chat.pid, 'SIGTERM');
      await chat.ended();
      await chat.close();
    });
    await chat.shows('Enter sends');
    chat.type('LOOK-1\r');
    await chat.shows('Done 1.');
    await chat.rest();
    chat.type('/agent codex\r');
    await chat.shows(/codex · /);
    chat.type('LOOK-2\r');
    await chat.shows('Done 2.');
    const asked = chat.server.requests.flatMap(({ seen }) => seen ?? []).find(request => isTurn(request, '2'));
    expect(asked && outline(asked)).toEqual([...turns([1]), 'user: LOOK-2']);
    expect(asked?.toolNames).toContain('exec_command');
  });

  it.skipIf(browser === undefined)('is handed to another one by its name on the page', async () => {
    const scene = await HandOverScene.open();
    cleanups.push(() => scene.close());
    const env = scene.commandEnvironment(names) as Record<string, string>;
    const home = env['SINGLETREE_HOME'] ?? '';
    const product = await startProduct(home, 0, { env, cwd: scene.cwd });
    cleanups.push(() => product.end('SIGTERM'));
    const page = (await browser?.newPage()) ?? expect.fail('no browser');
    cleanups.push(() => page.close());
    await page.goto(product.link);
    const say = async (agent: string, n: number) => {
      await choose(page, 'Agent', agent);
      await page.getByLabel('Message', { exact: true }).fill(`LOOK-${n}`);
      await page.keyboard.press('Enter');
    };
    const done = (n: number) => page.getByRole('log').getByText(`Done ${n}.`).waitFor({ timeout: 60_000 });
    await say('Claude Code', 1);
    await done(1);
    await say('Codex', 2);
    await page.getByRole('button', { name: 'Approve', exact: true }).click({ timeout: 60_000 });
    await done(2);
    expect(scene.asked('codex', 2)).toEqual([...turns([1]), 'user: LOOK-2']);
    const first = page.url();
    await page.getByRole('button', { name: 'Branch', exact: true }).first().click();
    await expect.poll(() => page.url()).not.toBe(first);
    await page.getByText('LOOK-2').waitFor({ state: 'hidden' });
    await say('Codex', 3);
    await page.getByRole('button', { name: 'Approve', exact: true }).click({ timeout: 60_000 });
    await done(3);
    expect(scene.asked('codex', 3)).toEqual([...turns([1]), 'user: LOOK-3']);
  });
});

function isTurn(request: Parameters<typeof lastMark>[0], n: string): boolean {
  return request.toolNames.length > 0 && lastMark(request) === n;
}

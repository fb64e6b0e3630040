import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { coderAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { createClient } from '../../src/client/index.ts';
import { Worktrees } from '../../src/control/index.ts';
import { gitProject } from '../support/git-project.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { choose, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const project = gitProject({ 'notes.txt': 'begin\n' });
afterAll(() => project.remove());

/** A coding agent whose model adds its name to the notes and answers. */
const agent = (id: string) =>
  coderAgent({
    id,
    model: scriptedModel(({ step }) =>
      step === 0
        ? [{ toolCall: { name: 'bash', input: { command: `echo ${id} >> notes.txt` } } }]
        : `${id} wrote its name.`,
    ),
    cwd: project.folder,
    home: project.home,
    permissions: { default: 'allow', rules: [] },
  });

describe.skipIf(browser === undefined)('a branch into another agent', () => {
  const worktrees = new Worktrees({ home: project.home, folder: project.folder });
  const scene = usePage(browser, [agent('writer'), agent('editor')], { worktrees });
  let server: TestServer;
  let page: Page;
  const log = () => page.getByRole('log');
  const threadId = () => page.url().split('/').at(-1) ?? '';
  const notes = (folder = project.folder) => readFileSync(join(folder, 'notes.txt'), 'utf8').trim().split('\n');
  const worktreeNotes = async () => notes((await createClient({ baseUrl: server.url }).getWorktree(threadId())).folder);
  const dialog = () => page.getByRole('dialog', { name: 'Branch here into …' });

  beforeEach(async () => {
    ({ server, page } = scene);
    await page.goto(server.url);
    await page.getByLabel('Message').fill('Begin.');
    await page.keyboard.press('Enter');
    await log().getByText('writer wrote its name.').waitFor();
  });

  it('begins below any message, in a worktree of its own', { timeout: 60_000 }, async () => {
    const first = threadId();
    const before = notes();
    await log().getByRole('button', { name: 'Branch into…' }).first().click();
    await dialog().getByRole('button', { name: 'Agent: editor' }).waitFor();
    await dialog().getByLabel('Next message').fill('Go on.');
    await dialog().getByLabel('In a worktree of its own').check();
    await expectReadable(page, '.dialog');
    await takePictures(page, 'branch-into');
    await dialog().getByRole('button', { name: 'Branch and send' }).click();
    await log().getByText('editor wrote its name.').waitFor();
    expect(threadId()).not.toBe(first);
    // It ends with the question: the answer of the other agent is not part of it.
    expect(await log().getByText('writer wrote its name.').count()).toBe(0);
    expect(notes()).toEqual(before);
    expect((await worktreeNotes()).at(-1)).toBe('editor');
    await takePictures(page, 'branch-worktree');
    await page.goBack();
    await log().getByText('writer wrote its name.').waitFor();
  });

  it('works in the same folder, and stays open with the reason when it cannot begin', { timeout: 60_000 }, async () => {
    await log().getByRole('button', { name: 'Branch into…' }).last().click();
    await dialog().getByLabel('Next message').fill('Go on.');
    await page.route('**/branches', route => route.abort());
    scene.expectComplaint('ERR_FAILED');
    await dialog().getByRole('button', { name: 'Branch and send' }).click();
    await dialog().getByText('The server cannot be reached.').waitFor();
    await page.unroute('**/branches');
    await dialog().getByRole('button', { name: 'Branch and send' }).click();
    await log().getByText('editor wrote its name.').waitFor();
    await log().getByText('writer wrote its name.').waitFor();
    expect(notes().at(-1)).toBe('editor');
    scene.expectComplaint('ERR_FAILED');
  });

  it('is offered when another agent is chosen for the next message', { timeout: 60_000 }, async () => {
    const first = threadId();
    const before = notes();
    const apart = page.getByLabel('In a worktree of its own');
    expect(await apart.count()).toBe(0);
    await choose(page, 'Agent', 'editor');
    await apart.check();
    await expectReadable(page);
    await takePictures(page, 'composer-worktree');
    await page.getByLabel('Message').fill('Now you.');
    await page.keyboard.press('Enter');
    await log().getByText('editor wrote its name.').waitFor();
    await log().getByText('writer wrote its name.').waitFor();
    expect(threadId()).not.toBe(first);
    expect(notes()).toEqual(before);
    expect((await worktreeNotes()).at(-1)).toBe('editor');
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coderAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { startTestServer } from '../support/test-server.ts';
import { openBrowser, usePage, webRoot } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();

/** A server with the coding agent on a folder, in which one turn edited a file and made another. */
async function coderScene() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-changes-')));
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.txt'), 'one\nkeep\n');
  const edit = { name: 'edit', input: { path: 'a.txt', old_string: 'one', new_string: 'two\nthree' } };
  const write = { name: 'write', input: { path: 'b.txt', content: 'new\n' } };
  const agent = coderAgent({
    model: scriptedModel([[{ toolCall: edit }], [{ toolCall: write }], 'Done.']),
    cwd,
    home,
    permissions: { default: 'allow', rules: [] },
  });
  const server = await startTestServer([agent], { webRoot, snapshots: join(home, 'snapshots') });
  const { id } = await server.log.createThread();
  const run = await server.control.start(id, { agent, content: 'Count.' });
  await run.done;
  return { server, id, cwd, text: () => readFileSync(join(cwd, 'a.txt'), 'utf8') };
}

describe.skipIf(browser === undefined)('the changes of a turn', () => {
  const scene = usePage(browser, []);

  it('are listed with their counts, and shown side by side where there is room', async () => {
    const { server, id } = await coderScene();
    const { page } = scene;
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(`${server.url}/threads/${id}`);
    await page.getByRole('button', { name: '2 files changed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changes' });
    const files = dialog.getByRole('list', { name: 'Changed files' });
    await files.getByText('+2 −1').waitFor();
    await files.getByText('a.txt').click();
    await dialog.locator('.diff-lines.split').waitFor();
    await page.setViewportSize({ width: 500, height: 900 });
    await dialog.locator('.diff-lines:not(.split)').waitFor();
    await dialog.getByRole('button', { name: 'This thread' }).click();
    expect(await files.locator('summary').count()).toBe(2);
    await page.goto('about:blank');
    await server.close();
  });

  it('are shown against the base too, whoever made them, with the reason when that cannot be', async () => {
    const { server, id, cwd } = await coderScene();
    const { page } = scene;
    await page.goto(`${server.url}/threads/${id}`);
    await page.getByText('Done.').waitFor();
    await page.locator('.scroll').focus();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Changes' });
    await dialog.getByRole('button', { name: 'Against base' }).click();
    await dialog.getByText('not a git repository').waitFor();
    execFileSync('git', ['init', '-q'], { cwd });
    writeFileSync(join(cwd, 'by-hand.txt'), 'mine\n');
    writeFileSync(join(cwd, 'data.bin'), 'a\0b');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    const files = dialog.getByRole('list', { name: 'Changed files' });
    await files.getByText('by-hand.txt').click();
    await files.getByText('mine', { exact: true }).waitFor();
    await files.getByText('not text').waitFor();
    expect(await files.getByRole('listitem').count()).toBe(4);
    await dialog.getByText('compared with an empty repository').waitFor();
    await expectReadable(page, 'dialog');
    await takePictures(page, 'changes-base');
    scene.expectComplaint('503');
    await page.goto('about:blank');
    await server.close();
  });

  it('can be undone and redone, with a preview of files and conflicts', async () => {
    const { server, id, cwd, text } = await coderScene();
    const { page } = scene;
    writeFileSync(join(cwd, 'b.txt'), 'mine\n');
    await page.goto(`${server.url}/threads/${id}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    const undo = page.getByRole('dialog', { name: 'Undo this turn and what follows' });
    await undo.getByText('a.txt is changed').waitFor();
    await undo.getByText('b.txt was changed since by somebody else: it stays').waitFor();
    await undo.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('A turn was undone to get here.').waitFor();
    expect([text(), readFileSync(join(cwd, 'b.txt'), 'utf8')]).toEqual(['one\nkeep\n', 'mine\n']);
    await page.getByRole('button', { name: 'Redo' }).click();
    const redo = page.getByRole('dialog', { name: 'Redo what was undone' });
    await redo.getByText('a.txt is changed').waitFor();
    await redo.getByRole('button', { name: 'Redo' }).click();
    await redo.waitFor({ state: 'detached' });
    await page.getByText('Done.').waitFor();
    expect(text()).toBe('two\nthree\nkeep\n');
    await page.goto('about:blank');
    await server.close();
  });
});

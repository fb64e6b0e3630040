import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const fixtures = fileURLToPath(new URL('../cli-agents/session-fixtures', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'singletree-history-'));
for (const agent of ['claude', 'codex', 'pi', 'gemini'])
  cpSync(join(fixtures, agent), join(home, `.${agent}`), { recursive: true });
// The session of Pi is of another year.
const chats = join(home, '.pi', 'agent', 'sessions', '--home-dev-project--');
for (const name of readdirSync(chats)) {
  const text = readFileSync(join(chats, name), 'utf8');
  writeFileSync(join(chats, name), text.replaceAll('2026-11-16', '2025-03-04'));
}
afterAll(() => rmSync(home, { recursive: true }));

let server: TestServer;
let page: Page;

describe.skipIf(browser === undefined)('the history of other agents', () => {
  const scene = usePage(browser, [scriptedAgent('quiet', async function* () {})], {
    sessions: { home, environment: {} },
  });
  beforeEach(() => ({ server, page } = scene));

  it('is listed by project, imported, searched and shown under its days', async () => {
    await page.goto(server.url);
    await page.getByRole('link', { name: 'Bring your history' }).click();
    const list = page.getByRole('list', { name: 'Sessions of $CWD' });
    await list.waitFor();
    expect(new URL(page.url()).pathname).toBe('/sessions');
    const facts = await list.getByRole('listitem').allInnerTexts();
    expect(facts.some(text => /FIRST-PROMPT read the notes\s+pi · 20\d\d-\d\d-\d\d · 3\.8 kB$/.test(text))).toBe(true);
    const found = await page
      .getByRole('listitem')
      .filter({ has: page.getByRole('checkbox') })
      .count();

    const pi = list.getByRole('listitem').filter({ hasText: 'pi ·' });
    await pi.getByRole('checkbox').check();
    await takePictures(page, 'history');
    await expectReadable(page);
    await page.getByRole('button', { name: 'Import 1 session (3.8 kB)' }).click();
    await page.getByText('1 of 1 imported.').waitFor();
    await pi.getByRole('link', { name: 'imported' }).waitFor();
    expect(await pi.getByRole('checkbox').isDisabled()).toBe(true);
    expect(await server.log.listThreads()).toHaveLength(1);

    await page.getByRole('button', { name: 'Choose all' }).click();
    await page.getByRole('button', { name: new RegExp(`^Import ${found - 1} sessions`) }).click();
    await page.getByText(`${found - 1} of ${found - 1} imported.`).waitFor();
    await takePictures(page, 'history-imported');
    await expectReadable(page);

    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    await expect.poll(() => sidebar.innerText()).toMatch(/\nMarch 2025\nFIRST-PROMPT read the notes\npi · /);
    expect((await sidebar.innerText()).match(/FIRST-PROMPT read the notes/g)).toHaveLength(found);
    await sidebar.getByRole('searchbox').fill('SECOND-ANSWER');
    await sidebar.getByText('SECOND-ANSWER').first().click();
    await page.getByText('FIRST-ANSWER done.').first().waitFor();
  });

  it('is reached from the palette, and shows why a session was not imported', async () => {
    await page.goto(server.url);
    await page.getByRole('link', { name: 'Bring your history' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill('bring');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Choose all' }).click();
    await page.route('**/api/sessions/*/import', route => route.abort());
    await page.getByRole('button', { name: /^Import \d+ sessions/ }).click();
    await page.getByRole('alert').getByText('The server cannot be reached.').first().waitFor();
    await page.getByText(/^0 of \d+ imported\.$/).waitFor();
    scene.expectComplaint('net::ERR_FAILED');
  });
});

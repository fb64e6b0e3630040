import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coderAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { openBrowser, usePage } from './page-scene.ts';

const browser = await openBrowser();

/** Reads a long file several times and summarises when the conversation has become long. */
const cwd = mkdtempSync(join(tmpdir(), 'singletree-compaction-'));
writeFileSync(join(cwd, 'long.txt'), 'lorem ipsum '.repeat(150));
const agent = coderAgent({
  cwd,
  model: scriptedModel(({ lastUserText, step, messages }) => {
    if (lastUserText.startsWith('Summarise')) return 'We **read** a lot.';
    return step > 4 || messages.some(({ text }) => text.includes('We **read**'))
      ? 'All read.'
      : [{ toolCall: { name: 'read', input: { path: 'long.txt' } } }];
  }),
  compaction: { threshold: 900, keep: 100 },
});

describe.skipIf(browser === undefined)('a compaction on the page', () => {
  const scene = usePage(browser, [agent]);

  it('is a row that opens its text, and is undone in a branch from before it', async () => {
    const { server, page } = scene;
    const { id } = await server.log.createThread({ title: 'Long' });
    await (await server.control.start(id, { agent, content: 'Read it.' })).done;
    await page.goto(`${server.url}/threads/${id}`);
    const log = page.getByRole('log');
    const row = log.getByText(/^Earlier messages were summarised for the agent: [\d,]+ → [\d,]+ tokens$/).first();
    await row.waitFor();
    await row.click();
    await log.getByText('We read a lot.').first().waitFor();
    await log.getByText('Read it.').first().waitFor();
    const shots = process.env['SINGLETREE_SCREENSHOTS'];
    if (shots !== undefined) await page.screenshot({ path: join(shots, 'compaction.png') });
    await log.getByRole('button', { name: 'Undo the summary' }).first().click();
    await page.waitForURL(url => url.pathname.startsWith('/threads/') && !url.pathname.endsWith(id));
    await log.getByText('Read it.').waitFor();
    expect(await row.count()).toBe(0);
    const [branch] = await server.log.listThreads({ limit: 1 });
    expect((await server.log.read(branch?.id ?? '')).some(({ type }) => type === 'summary')).toBe(false);
  });
});

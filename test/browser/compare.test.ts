import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { storeRecordedRun } from './recorded-run.ts';
import { cellsOf, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const patient = { timeout: 10_000 };
const hostile = '<img src=x onerror="document.title=1">';

let server: TestServer;
let page: Page;

const writing = (id: string, path: string, tokens: number) =>
  scriptedAgent(
    id,
    async function* ({
      event,
      params: {
        run: { runId },
      },
    }) {
      const call = { id: `${runId}/1`, name: 'write_file' };
      yield event('tool_call', { ...call, input: { path, content: 'x' } });
      yield event('tool_result', { ...call, output: { context: 'written' } });
      yield event('text', { id: 't', content: `Wrote ${path} ${hostile}` });
      yield event('usage', { inputTokens: tokens, outputTokens: 10, cost: tokens / 1_000_000 });
    },
  );

describe.skipIf(browser === undefined)('the comparison', () => {
  const scene = usePage(browser, [writing('careful', 'a.ts', 5000), writing('quick', 'b.ts', 1000)]);
  beforeEach(() => ({ server, page } = scene));
  const cells = (name: string) => cellsOf(page, name);

  it('starts several agents with one request and shows them side by side', async () => {
    await page.goto(`${server.url}/compare`);
    await page.getByLabel('Request').fill('Write it.');
    await page.getByLabel('careful', { exact: true }).check();
    expect(await page.getByRole('button', { name: 'Choose two or more agents' }).isDisabled()).toBe(true);
    await page.getByLabel('quick', { exact: true }).check();
    await expectReadable(page);
    await page.getByRole('button', { name: 'Start 2 agents' }).click();
    await expect.poll(() => cells('State'), patient).toEqual(['complete', 'complete']);
    await expect.poll(() => cells('Tokens in / out'), patient).toEqual(['5k / 10', '1k / 10']);
    expect(await cells('Cost (estimated)')).toEqual(['≈ $0.005', '≈ $0.001']);
    expect(await cells('Files changed')).toEqual(['a.ts', 'b.ts']);
    expect(await cells('Answer')).toEqual([`Wrote a.ts ${hostile}`, `Wrote b.ts ${hostile}`]);
    expect(await page.locator('main img').count()).toBe(0);
    await page.locator('.compare-request').getByText('Write it.').waitFor();
    await page.reload();
    await expect.poll(() => cells('State'), patient).toEqual(['complete', 'complete']);
    const { href } = new URL(page.url());
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Write it.' }).click();
    await expect.poll(() => page.url()).toBe(href);
    await page.getByRole('main').getByRole('link', { name: 'quick' }).click();
    await page.getByRole('log').getByText('Wrote b.ts').waitFor();
  });

  it('compares recorded runs of programs, and shows which one cannot be read', async () => {
    const threads = [
      await storeRecordedRun(server.log, 'claude@2.1.325/files'),
      await storeRecordedRun(server.log, 'codex@0.166.0/files'),
    ];
    await page.goto(`${server.url}/compare?threads=${threads.join(',')},missing`);
    await expect.poll(async () => (await cells('State')).slice(0, 2), patient).toEqual(['complete', 'complete']);
    await expect.poll(async () => (await cells('State'))[2], patient).toContain('missing');
    expect((await cells('Files changed')).slice(0, 2).every(files => files !== 'none')).toBe(true);
    await page.locator('summary').first().click();
    await takePictures(page, 'compare');
    await expectReadable(page);
    scene.expectComplaint('404');
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { TestServer } from '../support/test-server.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const hostile = '<img src=x onerror="document.title=1">';

let server: TestServer;
let page: Page;

const spending = scriptedAgent('spending', async function* ({ event }) {
  yield event('usage', { inputTokens: 10, outputTokens: 1, model: 'scripted/one' });
});

async function used(agentId: string, ...usage: { model: string; tokens: number; cost?: number; daysAgo: number }[]) {
  const { id } = await server.log.createThread();
  const at = (daysAgo = 0) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  await server.log.append(id, [
    { type: 'harness_start', runId: 'r', agentId, ts: at(usage[0]?.daysAgo) },
    ...usage.map(({ model, tokens, cost, daysAgo }) => ({
      type: 'usage' as const,
      runId: 'r',
      ts: at(daysAgo),
      inputTokens: tokens,
      outputTokens: 100,
      model,
      ...(cost !== undefined && { cost }),
    })),
  ]);
}

describe.skipIf(browser === undefined)('the usage', () => {
  const scene = usePage(browser, [spending]);
  beforeEach(() => ({ server, page } = scene));

  it('shows cost and tokens by agent, model and day, as a chart and a table', async () => {
    await used('claude', { model: 'opus', tokens: 12_000, cost: 0.25, daysAgo: 1 });
    await used(
      hostile,
      { model: 'opus', tokens: 500, cost: 0.01, daysAgo: 3 },
      { model: 'gpt', tokens: 3000, daysAgo: 0 },
    );
    await page.goto(`${server.url}/usage`);
    const chart = page.getByRole('img', { name: /^Tokens of each day by agent: 15.8k in 30 days/ });
    await chart.waitFor();
    const rows = () => page.getByRole('row').allInnerTexts();
    const shown = [
      'Agent\tModel calls\tTokens in\tTokens out\tCost (estimated)',
      'claude\t1\t12,000\t100\t≈ $0.250',
      `${hostile}\t2\t3,500\t200\t≈ $0.010`,
      'All\t3\t15,500\t300\t≈ $0.260',
    ];
    expect(await rows()).toEqual(shown);
    expect(await chart.locator('.usage-bar').count()).toBe(30);
    expect(await page.title()).toBe('Usage · Singletree');

    await page.getByLabel('Model', { exact: true }).check();
    await page.getByLabel('Cost', { exact: true }).check();
    await page.getByRole('img', { name: /^Estimated cost of each day by model: ≈ \$0.260 in 30 days/ }).waitFor();
    expect((await rows()).slice(1, 3)).toEqual(['opus\t2\t12,500\t200\t≈ $0.260', 'gpt\t1\t3,000\t100\t–']);

    await page.getByLabel('Model', { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByLabel('Day', { exact: true }).isChecked()).toBe(true);
    expect(await rows()).toHaveLength(5);
    await takePictures(page, 'usage');
    await expectReadable(page);
  });

  it('shows that nothing was used, and why nothing can be shown', async () => {
    await page.goto(`${server.url}/usage`);
    await page.getByText('Nothing was used in this period.').waitFor();
    const [first, second] = await Promise.all(['7 days', '90 days'].map(name => page.getByLabel(name).boundingBox()));
    expect(first?.y, 'the choices are side by side').toBe(second?.y);
    await page.route('**/api/usage?*', route => route.abort());
    await page.getByLabel('7 days').check();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.unroute('**/api/usage?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    scene.expectComplaint('net::ERR_FAILED');
  });
});

import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { CoderScene } from './support/coder-scene.ts';
import { type Product, startProduct } from './support/product.ts';

const browser: Browser | undefined = await launchBrowser('the coding agent on the page');

describe.skipIf(browser === undefined)('the coding agent on the page', () => {
  let scene: CoderScene;
  let product: Product;
  let page: Page;
  beforeEach(async () => {
    scene = await CoderScene.open();
    product = await start(0);
    page = await (browser as Browser).newPage();
    page.setDefaultTimeout(20_000);
  });
  afterEach(async () => {
    await page.close();
    await product.end('SIGKILL');
    await scene.close();
  });
  afterAll(() => browser?.close());

  const start = (port: number) => startProduct(scene.home, port, { cwd: scene.repository, env: scene.env });
  const log = () => page.getByRole('log');
  const approve = () => log().getByRole('button', { name: 'Approve', exact: true }).click();

  async function say(text: string): Promise<void> {
    await page.goto(product.link);
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  it('fixes a failing test with approvals; the fix is undone, redone and branched before', async () => {
    await say('Fix the failing test');
    for (let asked = 0; asked < 3; asked++) await approve();
    await page.getByText('It adds now, and the test passes.').waitFor();
    expect(scene.source()).toContain('a + b');
    const shots = process.env['SINGLETREE_SCREENSHOTS'];
    if (shots !== undefined) await page.screenshot({ path: join(shots, 'coder.png'), fullPage: true });

    await page.getByRole('button', { name: 'Undo' }).click();
    const undo = page.getByRole('dialog', { name: 'Undo this turn and what follows' });
    await undo.getByText('add.js is changed').waitFor();
    await undo.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('A turn was undone to get here.').waitFor();
    expect(scene.source()).toContain('a - b');
    await page.getByRole('button', { name: 'Redo' }).click();
    const redo = page.getByRole('dialog', { name: 'Redo what was undone' });
    await redo.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('It adds now, and the test passes.').waitFor();
    expect(scene.source()).toContain('a + b');

    await log().getByRole('button', { name: 'Edit', exact: true }).click();
    await log().getByLabel('New text').fill('Only tell me the reason');
    await page.keyboard.press('Control+Enter');
    await log().getByText('It subtracts where it should add.').waitFor();
    expect(await log().getByText('It adds now').count()).toBe(0);
    await log().getByRole('button', { name: 'Previous version' }).click();
    await log().getByText('It adds now, and the test passes.').waitFor();
  }, 120_000);

  it('continues after kill -9 of the server while it asks, and does nothing twice', async () => {
    await say('Fix the failing test');
    await approve();
    await log()
      .getByRole('region', { name: 'Tool edit' })
      .getByRole('button', { name: 'Approve', exact: true })
      .waitFor();
    await product.end('SIGKILL');
    const requests = scene.model.requests.length;
    product = await start(product.port);
    for (let asked = 0; asked < 2; asked++) await approve();
    await page.getByText('It adds now, and the test passes.').waitFor();
    expect([scene.source(), scene.model.requests.length]).toEqual([expect.stringContaining('a + b'), requests + 2]);
  }, 120_000);
});

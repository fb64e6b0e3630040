import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { type Product, startProduct } from './support/product.ts';

const browser: Browser | undefined = await launchBrowser('the product in a browser');
const shots = process.env['SINGLETREE_SCREENSHOTS'];

let home: string;
let product: Product;
let page: Page;

/** Keeps a picture of the page in the folder that SINGLETREE_SCREENSHOTS names. */
const look = async (name: string) => shots && (await page.screenshot({ path: join(shots, `${name}.png`) }));

async function ask(message: string): Promise<Locator> {
  await page.goto(product.link);
  await page.getByLabel('Message').fill(message);
  await page.keyboard.press('Enter');
  return page.getByRole('log');
}

describe.skipIf(browser === undefined)('npm start, in a browser', () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'singletree-home-'));
    product = await startProduct(home);
    page = await (browser as Browser).newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(15_000);
  });
  afterEach(async () => {
    await page.close();
    await product.end('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });
  afterAll(() => browser?.close());

  const notes = () => readFileSync(join(home, 'demo', 'notes.md'), 'utf8');

  it('streams, calls tools, asks, and goes on when it is approved', async () => {
    const log = await ask('Remember the milk');
    await log.getByText('Let me look at').waitFor();
    await look('streaming');
    const card = log.getByRole('region', { name: 'Tool save_note' });
    await card.getByText('Waiting for you').waitFor();
    await look('waiting');
    await card.getByRole('button', { name: 'Approve' }).click();
    await log.getByText('Done: the note is saved.').waitFor();
    await log.getByText('I go on without it').waitFor();
    await look('done');
    expect(notes()).toBe('- Remember the milk\n');
  });

  it('goes on without the tool when it is rejected', async () => {
    const log = await ask('Forget it');
    const card = log.getByRole('region', { name: 'Tool save_note' });
    await card.getByLabel('Reason').fill('not this');
    await card.getByRole('button', { name: 'Reject' }).click();
    await log.getByText('All right, I left the notes as they are.').waitFor();
    expect(notes).toThrow('ENOENT');
  });

  it('shows the same after a reload in mid-run', async () => {
    const log = await ask('Reload me');
    await log.getByText('Let me look').waitFor();
    await page.reload();
    await log.getByText('Reload me').waitFor();
    await log.getByText('Let me look at the clock and at the notes first.').waitFor();
    await log.getByRole('region', { name: 'Tool save_note' }).getByRole('button', { name: 'Approve' }).click();
    await log.getByText('Done: the note is saved.').waitFor();
    expect(await log.getByText('Let me look at the clock').count()).toBe(1);
  });

  it.each([
    ['while it streams', 'Let me look at', false],
    ['while it waits for a person', 'Waiting for you', true],
  ])('goes on after the server was killed %s and started again', async (_, moment, waiting) => {
    const log = await ask('Survive this');
    await log.getByText(moment).first().waitFor();
    await product.end('SIGKILL');
    await look(waiting ? 'server-gone-waiting' : 'server-gone-streaming');
    product = await startProduct(home, product.port);
    expect(product.output.join('\n')).toContain(product.url);
    const card = log.getByRole('region', { name: 'Tool save_note' });
    await card.getByRole('button', { name: 'Approve' }).click();
    await log.getByText('Done: the note is saved.').waitFor();
    await log.getByText('I go on without it').waitFor();
    await look(waiting ? 'survived-waiting' : 'survived-streaming');
    expect(await log.getByText('Let me look at the clock and at the notes first.').count()).toBe(1);
    expect(notes()).toBe('- Survive this\n');
  });
});

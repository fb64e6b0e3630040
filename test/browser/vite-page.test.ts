import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { loopAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestServer } from '../support/test-server.ts';

const browser = await launchBrowser('the example of a page that Vite builds');
const outDir = mkdtempSync(join(tmpdir(), 'singletree-vite-page-'));
afterAll(async () => {
  await browser?.close();
  rmSync(outDir, { recursive: true, force: true });
});

describe.skipIf(browser === undefined)('the example of a page that Vite builds', () => {
  it('sends a message and shows the answer as it comes, under the security headers of the server', async () => {
    const root = fileURLToPath(new URL('../../examples/vite-page', import.meta.url));
    const settings = { outDir, target: 'es2022', emptyOutDir: true } as const;
    await build({ root, configFile: false, logLevel: 'error', build: settings });
    const agent = loopAgent({ id: 'greeter', model: scriptedModel(() => 'Good morning!') });
    const server = await startTestServer([agent], { webRoot: outDir });
    const page = await browser?.newPage();
    try {
      await page?.goto(server.url);
      await page?.getByLabel('Message').fill('Hello');
      await page?.getByRole('button', { name: 'Send' }).click();
      await expect
        .poll(() => page?.locator('li').allTextContents(), { timeout: 20_000 })
        .toEqual(['Hello', 'Good morning!']);
    } finally {
      await page?.close();
      await server.close();
    }
  });
});

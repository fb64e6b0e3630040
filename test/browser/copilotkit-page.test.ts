import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from 'vite';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { agUiClientsReady, loadAgUiPeers } from '../support/ag-ui-clients.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const example = fileURLToPath(new URL('../../examples/copilotkit-page', import.meta.url));
const save = defineTool({
  name: 'save_note',
  description: 'saves a note',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ context: `Saved: ${text}` }),
});
const keeper = loopAgent({
  id: 'keeper',
  model: scriptedModel(({ step, lastUserText }) =>
    step === 0
      ? {
          parts: [
            { text: 'I will save that.' },
            { toolCall: { id: 'c1', name: 'save_note', input: { text: lastUserText } } },
          ],
        }
      : 'It is saved.',
  ),
  tools: [save],
  permissions: { default: 'ask', rules: [] },
});

const isReady = agUiClientsReady('the example page of CopilotKit in a browser');
const browser: Browser | undefined = isReady ? await launchBrowser('the example page of CopilotKit') : undefined;

describe.skipIf(browser === undefined)('the example page of CopilotKit', () => {
  let server: TestServer;
  let page: Page;
  beforeAll(async () => {
    const { folder } = await loadAgUiPeers();
    const outDir = mkdtempSync(join(tmpdir(), 'copilotkit-page-'));
    await build({
      root: example,
      configFile: false,
      logLevel: 'error',
      resolve: { alias: { '@copilotkit/core': join(folder, 'node_modules/@copilotkit/core') } },
      build: { outDir, emptyOutDir: true },
    });
    server = await startTestServer([keeper], { webRoot: outDir });
    page = await (browser as Browser).newPage({ viewport: { width: 800, height: 640 } });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('sends a message, shows the question, and goes on with the answer after a reload', async () => {
    const problems: string[] = [];
    page.on('pageerror', error => problems.push(error.message));
    await page.goto(server.url);
    await page.locator('#agents option').first().waitFor({ state: 'attached' });
    await page.getByLabel('Message').fill('Buy milk');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.locator('.interrupt').textContent()).toContain('keeper asks: Use save_note? Buy milk');
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It is saved.').waitFor();
    expect(await page.locator('article').allTextContents()).toEqual([
      'Buy milk',
      'I will save that.\n→ save_note {"text":"Buy milk"}',
      'Saved: Buy milk',
      'It is saved.',
    ]);
    expect(await page.locator('.interrupt').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

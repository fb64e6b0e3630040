import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { Agent } from '../../src/agents/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** The built page, as the package has it. */
export const webRoot: string = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** A real browser on a real server; both are new for each test. */
export interface PageScene {
  readonly server: TestServer;
  readonly page: Page;
  /** Takes the logged errors that contain this text for expected. */
  expectComplaint(text: string): void;
}

/** Opens the browser of a test file; undefined after a visible line when there is none. */
export const openBrowser = (): Promise<Browser | undefined> => launchBrowser('the browser tests');

/** Gives each test of a `describe` a server with these agents and an empty tab; fails it when the page logs an error or violates its security policy. */
export function usePage(
  browser: Browser | undefined,
  agents: readonly Agent[],
  options: Parameters<typeof startTestServer>[1] = {},
): PageScene {
  let complaints: string[] = [];
  const scene = {
    expectComplaint: text => void (complaints = complaints.filter(complaint => !complaint.includes(text))),
  } as { -readonly [part in keyof PageScene]: PageScene[part] };
  afterAll(() => browser?.close());
  beforeEach(async () => {
    complaints = [];
    scene.server = await startTestServer([...agents], { webRoot, ...options });
    scene.page = await (browser as Browser).newPage();
    scene.page.setDefaultTimeout(10_000);
    scene.page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    // A violation that a script catches is no error of the console.
    await scene.page.addInitScript(
      "document.addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective, 'is violated by', e.blockedURI))",
    );
    scene.page.on('pageerror', error => complaints.push(String(error)));
  });
  afterEach(async () => {
    await scene.page.close();
    await scene.server.close();
    expect(complaints).toEqual([]);
  });
  return scene;
}

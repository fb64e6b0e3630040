import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import bundled from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { inSystemFolder } from './system-folder.ts';

const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--headless=new'];
const systemBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const libraries = ['libnss3', 'libnspr4', 'libexpat1', 'libfontconfig1', 'libx11-6', 'libxcb1', 'fonts-dejavu-core'];

/**
 * A browser that runs here, or undefined after one line that says what is skipped and how to get it. In CI a machine
 * without one gets what is missing installed, and no browser is an error.
 */
export async function launchBrowser(skipped: string): Promise<Browser | undefined> {
  const found = await tryLaunch();
  if ('browser' in found) return found.browser;
  if (!process.env.CI) {
    console.warn(`SKIPPED ${skipped}: no Chromium starts here. Get one with: apt-get install -y chromium`);
    return undefined;
  }
  install(['update']);
  install(['install', '-y', '--no-install-recommends', ...libraries]);
  const second = await tryLaunch();
  if ('browser' in second) return second.browser;
  install(['install', '-y', '--no-install-recommends', 'chromium']);
  const third = await tryLaunch();
  if ('browser' in third) return third.browser;
  throw new Error(`No Chromium starts on this machine:\n${third.failures.join('\n')}`);
}

async function tryLaunch(): Promise<{ browser: Browser } | { failures: string[] }> {
  const failures: string[] = [];
  const candidates = [
    () => inSystemFolder(() => bundled.executablePath()),
    ...systemBrowsers.filter(existsSync).map(path => async () => path),
  ];
  for (const candidate of candidates)
    try {
      const executablePath = await candidate();
      return { browser: await chromium.launch({ executablePath, args }) };
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.split('\n', 3).join(' ') ?? '') : String(error));
    }
  return { failures };
}

function install(command: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', command, { stdio: 'inherit', env });
}

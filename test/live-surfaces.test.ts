import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../src/agents/cli/live/session-pool.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { launchBrowser } from './support/browser.ts';
import { startTestServer } from './support/test-server.ts';
import { installPrograms, programsReady, realProgram } from './cli-agents/support/real-program.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** `singletree run claude` on a terminal; the model wants to run one command. */
async function runOnTerminal() {
  const toolCall = {
    id: 'toolu_terminal',
    name: 'Bash',
    input: { command: 'touch made.txt', description: 'makes it' },
  };
  const server = await startScriptedServer({ script: [[{ toolCall }], 'All done.'] });
  const { executable = '', cwd, env, model = '' } = realProgram('claude', server.url);
  const home = mkdtempSync(join(tmpdir(), 'singletree-terminal-'));
  const db = join(home, 'log.db');
  const terminal = spawn(
    process.execPath,
    [command, 'run', 'claude', 'go', '--model', model, '--cwd', cwd, '--db', db],
    {
      cols: 120,
      rows: 40,
      env: { ...process.env, ...env, SINGLETREE_HOME: home, PATH: `${dirname(executable)}:${process.env['PATH']}` },
    },
  );
  cleanups.push(
    () => server.close(),
    () => rmSync(home, { recursive: true, force: true }),
    () => rmSync(dirname(cwd), { recursive: true, force: true }),
    () => terminal.kill(),
  );
  return { ...watch(terminal), terminal, db, requests: server.requests, made: () => existsSync(join(cwd, 'made.txt')) };
}

/** What a terminal shows, and a way to wait for it. */
function watch(terminal: IPty) {
  let screen = '';
  let changed = () => {};
  terminal.onData(data => {
    screen += data;
    changed();
  });
  const exit = new Promise<number>(resolve => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  const shows = (text: string) =>
    new Promise<void>(resolve => {
      changed = () => void (screen.includes(text) && resolve());
      changed();
    });
  return { shows, exit, screen: () => screen };
}

describe.skipIf(!programsReady('Claude Code on a terminal', ['claude']))('singletree run claude on a terminal', () => {
  beforeAll(() => installPrograms(['claude']), 600_000);

  it('asks there, and runs what is approved there', async () => {
    const { shows, terminal, exit, made, screen } = await runOnTerminal();
    await shows('$ touch made.txt');
    await shows('[a]pprove');
    expect(made()).toBe(false);
    terminal.write('a\r');
    expect(await exit, screen()).toBe(0);
    expect(made()).toBe(true);
    expect(screen()).toContain('All done.');
  });

  it('continues when another process answers', async () => {
    const { shows, exit, made, db, screen } = await runOnTerminal();
    await shows('[a]pprove');
    const inbox = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [command, 'inbox', ...args, '--db', db])).stdout;
    expect(await inbox()).toMatch(/^1 +permission .* Bash \$ touch made\.txt\n/);
    expect(await inbox('show', '1')).toBe(
      '? Run this command? (Bash)\n  $ touch made.txt\n  because: makes it\n  answers: approve, reject, revise\n',
    );
    expect(await inbox('approve', '1')).toBe('approve: Bash $ touch made.txt\n');
    expect(await exit, screen()).toBe(0);
    expect(made()).toBe(true);
    expect(screen()).toContain('answered elsewhere');
  });

  it('passes on the reason of a rejection, and ends without an answer after Ctrl-C', async () => {
    const { shows, terminal, exit, made, screen, requests } = await runOnTerminal();
    await shows('[a]pprove');
    terminal.write('r\r');
    await shows('reason, for the agent');
    terminal.write('use other.txt\r');
    expect(await exit, screen()).toBe(0);
    expect(made()).toBe(false);
    expect(screen()).toContain('rejected: Bash');
    expect(JSON.stringify(requests.at(-1))).toContain('use other.txt');

    const second = await runOnTerminal();
    await second.shows('[a]pprove');
    second.terminal.write('\u0003');
    expect(await second.exit, second.screen()).toBe(130);
    expect(second.made()).toBe(false);
    expect(second.screen()).toContain('interrupted: not answered');
  });
});

const browser = programsReady('Claude Code on the page', ['claude'])
  ? await launchBrowser('Claude Code on the page')
  : undefined;
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('Claude Code on the page', () => {
  it('asks there with its exact command, and runs what is changed and approved there', async () => {
    const toolCall = { id: 'toolu_page', name: 'Bash', input: { command: 'touch made.txt', description: 'makes it' } };
    const model = await startScriptedServer({ script: [[{ toolCall }], 'All done.', 'Noted.'] });
    const { yolo: _, ...options } = realProgram('claude', model.url);
    const sessions = new SessionPool();
    const webRoot = fileURLToPath(new URL('../dist/web', import.meta.url));
    const server = await startTestServer([cliAgent('claude', { ...options, sessions })], { webRoot });
    cleanups.push(
      () => model.close(),
      () => rmSync(dirname(options.cwd), { recursive: true, force: true }),
      () => sessions.close(),
      () => server.close(),
    );
    const page = await (browser as Browser).newPage();
    await page.goto(server.url);
    await page.getByLabel('Agent').selectOption('claude');
    await page.getByLabel('Message').fill('go');
    await page.keyboard.press('Enter');
    const log = page.getByRole('log');
    await log.locator('pre[data-kind=command]').getByText('touch made.txt').waitFor();
    await log.locator('.relay-reason').getByText('makes it').waitFor();
    await log.getByText('Change it first').click();
    await log.getByLabel('Input').fill('{"command":"touch changed.txt"}');
    await log.getByRole('button', { name: 'Run it like this' }).click();
    await log.getByText('All done.').waitFor();
    expect(existsSync(join(options.cwd, 'changed.txt'))).toBe(true);
    expect(existsSync(join(options.cwd, 'made.txt'))).toBe(false);
  });
});

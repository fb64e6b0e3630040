import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../src/agents/cli/live/session-pool.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { launchBrowser } from './support/browser.ts';
import { startTestServer } from './support/test-server.ts';
import { installPrograms, programsReady, realProgram } from './cli-agents/support/real-program.ts';
import { choose } from './browser/view-checks.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Program {
  readonly name: string;
  readonly title: string;
  /** The call of its model that runs a command, and the tool that it is reported as. */
  readonly call: { readonly name: string; readonly input: object };
  readonly tool: string;
  /** The variables of its settings that it is not given otherwise. */
  readonly variables: readonly string[];
  /** What `singletree inbox show` prints. */
  readonly shown: string;
  /** The call that writes `new.txt`, and the screen of a run that does both. */
  readonly write: { readonly name: string; readonly input: unknown };
  readonly screen: readonly string[];
}

const claude: Program = {
  name: 'claude',
  title: 'Claude Code',
  call: { name: 'Bash', input: { command: 'touch made.txt', description: 'makes it' } },
  tool: 'Bash',
  variables: [],
  shown: '? Run this command? (Bash)\n  $ touch made.txt\n  because: makes it\n  answers: approve, reject, revise\n',
  write: { name: 'Write', input: { file_path: 'new.txt', content: 'hi\n' } },
  screen: [
    '? Run this command? (Bash)',
    '  $ touch made.txt',
    '  because: makes it',
    '  y once · t this thread · c always · e edit · n reject > a',
    '',
    '• Ran $ touch made.txt · T',
    '(Bash completed with no output)',
    '',
    '? Write new.txt? (Write)',
    '  + hi',
    '  y once · t this thread · c always · e edit · n reject > a',
    '• Wrote new.txt · +1 −0 · T',
    '+ hi',
    '',
    'All done.',
    '',
    'T · N in, N out · $0',
    '1 file changed: new.txt',
    'thread ID',
  ],
};
const codex: Program = {
  name: 'codex',
  title: 'Codex',
  call: { name: 'exec_command', input: { cmd: 'touch made.txt' } },
  tool: 'command_execution',
  variables: ['CODEX_SCRIPTED_KEY'],
  shown: '? Run this command? (command_execution)\n  $ touch made.txt\n  answers: approve, reject\n',
  write: { name: 'apply_patch', input: '*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch\n' },
  screen: [
    '? Run this command? (command_execution)',
    '  $ touch made.txt',
    '  y once · t this thread · c always · n reject > a',
    '',
    '• Ran $ touch made.txt · T',
    '',
    '? Write new.txt? (file_change)',
    '  + hi',
    '  y once · t this thread · c always · n reject > a',
    '• Wrote new.txt · +1 −0 · T',
    '+ hi',
    '',
    'All done.',
    '',
    'T · N in, N out',
    '1 file changed: new.txt',
    'thread ID',
  ],
};
const programs = [claude, codex];
const names = programs.map(({ name }) => name);

/** `singletree run` of a program on a terminal; the model wants to run one command, and to make other calls. */
async function runOnTerminal({ name, call, variables }: Program, more: readonly Program['write'][] = []) {
  const calls = [call, ...more].map((each, at) => [{ toolCall: { id: `toolu_terminal${at}`, ...each } }]);
  const server = await startScriptedServer({ script: [...calls, 'All done.'] });
  const { executable = '', cwd, env, model } = realProgram(name, server.url);
  const given = [
    ...(model === undefined ? [] : ['--model', model]),
    ...variables.flatMap(variable => ['--env', variable]),
  ];
  const home = mkdtempSync(join(tmpdir(), 'singletree-terminal-'));
  const db = join(home, 'log.db');
  const terminal = spawn(process.execPath, [command, 'run', name, 'go', ...given, '--cwd', cwd, '--db', db], {
    cols: 120,
    rows: 40,
    env: { ...process.env, ...env, SINGLETREE_HOME: home, PATH: `${dirname(executable)}:${process.env['PATH']}` },
  });
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
  const drawn = new headless.Terminal({ cols: 120, rows: 40, allowProposedApi: true });
  terminal.onData(data => {
    screen += data;
    drawn.write(data);
    changed();
  });
  /** The screen from the first question on, without what differs from run to run. */
  const lines = async () => {
    await new Promise<void>(resolve => drawn.write('', resolve));
    const all = Array.from(
      { length: drawn.buffer.active.length },
      (_, at) => drawn.buffer.active.getLine(at)?.translateToString(true) ?? '',
    );
    const shown = all.slice(all.findIndex(line => line.startsWith('? '))).map(line =>
      line
        .replace(/[\d.]+ (?:ms|s)\b/, 'T')
        .replace(/\d+ in, \d+ out/, 'N in, N out')
        .replace(/(?:< )?\$0\.\d+/, '$0')
        .replace(/^thread [0-9a-f]{8}-[0-9a-f]{4}$/, 'thread ID'),
    );
    return shown.join('\n').trimEnd().split('\n');
  };
  const exit = new Promise<number>(resolve => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  const shows = (text: string | RegExp) =>
    new Promise<void>(resolve => {
      changed = () => {
        const plain = stripVTControlCharacters(screen);
        if (typeof text === 'string' ? plain.includes(text) : text.test(plain)) resolve();
      };
      changed();
    });
  return { shows, exit, lines, screen: () => screen };
}

const isReady = programsReady('programs on a terminal', names);

describe.skipIf(!isReady).each(programs)('singletree run $name on a terminal', program => {
  beforeAll(() => installPrograms(names), 600_000);

  it('asks there, and runs what is approved there', async () => {
    const { shows, terminal, exit, made, screen, lines } = await runOnTerminal(program, [program.write]);
    await shows('$ touch made.txt');
    await shows('y once');
    expect(made()).toBe(false);
    terminal.write('a\r');
    await shows('? Write new.txt?');
    await shows('+ hi');
    await shows(/\+ hi[^]*y once/);
    expect(made()).toBe(true);
    terminal.write('a\r');
    expect(await exit, screen()).toBe(0);
    expect(await lines()).toEqual(program.screen);
  });

  it('continues when another process answers', async () => {
    const { shows, exit, made, db, screen } = await runOnTerminal(program);
    await shows('y once');
    const inbox = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [command, 'inbox', ...args, '--db', db])).stdout;
    expect(await inbox()).toMatch(new RegExp(`^1 +permission .* Run \\$ touch made\\.txt\n`));
    expect(await inbox('show', '1')).toBe(program.shown);
    expect(await inbox('approve', '1')).toBe('approve: Run $ touch made.txt\n');
    expect(await exit, screen()).toBe(0);
    expect(made()).toBe(true);
    expect(screen()).toContain('answered elsewhere');
  });

  it('passes on the reason of a rejection, and ends without an answer after Ctrl-C', async () => {
    const { shows, terminal, exit, made, screen, requests } = await runOnTerminal(program);
    await shows('y once');
    terminal.write('r\r');
    await shows('reason, for the agent');
    terminal.write('use other.txt\r');
    expect(await exit, screen()).toBe(0);
    expect(made()).toBe(false);
    expect(screen()).toContain(`rejected: ${program.tool}`);
    expect(JSON.stringify(requests.at(-1))).toContain('use other.txt');

    const second = await runOnTerminal(program);
    await second.shows('y once');
    second.terminal.write('\u0003');
    expect(await second.exit, second.screen()).toBe(130);
    expect(second.made()).toBe(false);
    expect(second.screen()).toContain('interrupted: not answered');
  });
});

const browser = isReady ? await launchBrowser('programs on the page') : undefined;
afterAll(() => browser?.close());

/** The page with a program that wants to run one command. */
async function openPage({ name, call }: Program) {
  const toolCall = { id: 'toolu_page', ...call };
  const model = await startScriptedServer({ script: [[{ toolCall }], 'All done.', 'Noted.'] });
  const { yolo: _, ...options } = realProgram(name, model.url);
  const sessions = new SessionPool();
  const webRoot = fileURLToPath(new URL('../dist/web', import.meta.url));
  const server = await startTestServer([cliAgent(name, { ...options, sessions })], { webRoot });
  cleanups.push(
    () => model.close(),
    () => rmSync(dirname(options.cwd), { recursive: true, force: true }),
    () => sessions.close(),
    () => server.close(),
  );
  const page = await (browser as Browser).newPage();
  await page.goto(server.url);
  await choose(page, 'Agent', name);
  await page.getByLabel('Message').fill('go');
  await page.keyboard.press('Enter');
  const log = page.getByRole('log');
  await log.locator('pre[data-kind=command]').getByText('touch made.txt').waitFor();
  return { page, log, has: (file: string) => existsSync(join(options.cwd, file)), requests: model.requests };
}

describe.skipIf(browser === undefined)('a program on the page', () => {
  it('asks there with its exact command, and runs what is changed and approved there: Claude Code', async () => {
    const { log, has } = await openPage(claude);
    await log.locator('.relay-reason').getByText('makes it').waitFor();
    await log.getByText('Change it first').click();
    await log.getByLabel('Input').fill('{"command":"touch changed.txt"}');
    await log.getByRole('button', { name: 'Run it like this' }).click();
    await log.getByText('All done.').waitFor();
    expect([has('changed.txt'), has('made.txt')]).toEqual([true, false]);
  });

  it('asks there, and runs what is approved there: Codex', async () => {
    const { page, log, has } = await openPage(codex);
    await look(page, 'codex-asks');
    expect(has('made.txt')).toBe(false);
    expect(await log.getByText('Change it first').count(), 'Codex takes no revised input').toBe(0);
    await log.getByRole('button', { name: 'Approve', exact: true }).click();
    await log.getByText('All done.').waitFor();
    await look(page, 'codex-done');
    expect(has('made.txt')).toBe(true);
  });
});

/** Takes a screenshot when a folder for them is given. */
async function look(page: Page, name: string): Promise<void> {
  const folder = process.env['SINGLETREE_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

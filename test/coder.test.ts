import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../src/client/index.ts';
import type { LoggedEvent } from '../src/events/index.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { launchBrowser } from './support/browser.ts';
import { startProduct } from './support/product.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const call = (name: string, input: object) => [{ toolCall: { name, input } }];
const script = [
  call('bash', { command: 'node test.js' }),
  call('read', { path: 'add.js' }),
  call('edit', { path: 'add.js', old_string: 'a - b', new_string: 'a + b' }),
  call('bash', { command: 'node test.js' }),
  'It subtracted. It adds now, and the test passes.',
];

let repository: string;
let home: string;

beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-coder-')));
  [repository, home] = [join(root, 'repository'), join(root, 'home')];
  mkdirSync(repository);
  execFileSync('git', ['init', '--quiet'], { cwd: repository });
  writeFileSync(join(repository, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(repository, 'add.js'), 'export const add = (a, b) => a - b;\n');
  writeFileSync(
    join(repository, 'test.js'),
    "import { add } from './add.js';\nprocess.exit(add(2, 2) === 4 ? 0 : 1);\n",
  );
});

const source = () => readFileSync(join(repository, 'add.js'), 'utf8');
/** Runs the command in the repository. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: repository,
    env: { PATH: process.env['PATH'], SINGLETREE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: status as number, stdout, stderr };
}
const modelOf = (url: string) => ({ OPENAI_API_KEY: 'sk-scripted-key', OPENAI_BASE_URL: `${url}/v1` });

describe('the coding agent, as a person meets it', () => {
  it('fixes a failing test from the command, by rules, and takes it back', async () => {
    const server = await startScriptedServer({ script });
    const rules = { rules: ['bash', 'edit'].map(tool => ({ tool, policy: 'allow' })) };
    writeFileSync(join(home, '..', 'rules.json'), JSON.stringify(rules));
    const singletree = (...args: string[]) => run(args, modelOf(server.url));
    try {
      const fixed = await singletree(
        'run',
        'coder',
        'Fix the failing test',
        '--output',
        'pretty',
        '--permissions',
        '../rules.json',
      );
      expect(fixed.stdout).toContain('It adds now, and the test passes.');
      expect([fixed.status, source()]).toEqual([0, 'export const add = (a, b) => a + b;\n']);
      expect((await singletree('undo', '--preview')).stdout).toBe(`change  ${join(repository, 'add.js')}\n`);
      expect(source()).toContain('a + b');
      expect((await singletree('undo')).status).toBe(0);
      expect(source()).toContain('a - b');
      expect((await singletree('redo')).status).toBe(0);
      expect(source()).toContain('a + b');
      expect((await singletree('search', 'subtracted')).stdout).toContain('It subtracted.');
      expect((await singletree('usage', '--by', 'agent')).stdout).toMatch(/^coder {2}5 calls/);
    } finally {
      await server.close();
    }
  }, 120_000);

  it('resumes a turn whose process was killed, branches before the fix, and rewinds over HTTP', async () => {
    const waits = 'touch started; until [ -e go ]; do sleep 0.05; done; node test.js';
    const server = await startScriptedServer({
      // What comes next depends on the conversation only, so that a resumed run continues.
      script: ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').length;
        return [script[1], script[2], call('bash', { command: waits }), script[4]][results] ?? '';
      },
    });
    const args = ['run', 'coder', 'Fix the failing test', '--yolo'];
    const killed = spawn(process.execPath, [command, ...args], {
      cwd: repository,
      env: { PATH: process.env['PATH'], SINGLETREE_HOME: home, ...modelOf(server.url) },
      stdio: 'ignore',
    });
    try {
      await expect.poll(() => existsSync(join(repository, 'started')), { timeout: 20_000 }).toBe(true);
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      expect(source()).toContain('a + b');
      writeFileSync(join(repository, 'go'), '');
      const resumed = await run(['run', 'coder', '--resume', 'last', '--yolo', '--json'], modelOf(server.url));
      expect([resumed.status, resumed.stdout]).toEqual([0, expect.stringContaining('the test passes')]);
      const shown = await run(['show', 'last']);
      expect(shown.stdout.match(/^› /gm)).toHaveLength(1);
      const again = await run(['run', 'coder', '--resume', 'last'], modelOf(server.url));
      expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('No interrupted run of "coder"')]);

      const product = await startProduct(home, 0, { cwd: repository, env: modelOf(server.url) });
      const client = createClient({ baseUrl: product.url });
      try {
        const [thread] = await client.listThreads();
        const { id = '' } = thread ?? {};
        const events = (await client.exportThread(id))
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as LoggedEvent);
        const call = events.find(event => event.type === 'tool_call' && event.name === 'edit');
        const branch = await client.branchThread(id, { seq: (call?.seq ?? 0) - 1 });
        expect(branch.seq).toBe((call?.seq ?? 0) - 1);
        expect(await client.exportThread(branch.id)).not.toContain('"type":"tool_result","name":"edit"');
        const undone = await client.undo(id);
        expect([undone.changed, source()]).toEqual([
          expect.arrayContaining([join(repository, 'add.js')]),
          expect.stringContaining('a - b'),
        ]);
        await client.redo(undone.threadId ?? '');
        expect(source()).toContain('a + b');
      } finally {
        await product.end('SIGTERM');
      }
    } finally {
      killed.kill('SIGKILL');
      await server.close();
    }
  }, 120_000);

  it('says which variables it reads when no model can be used', async () => {
    const { status, stderr } = await run(['run', 'coder', 'Hello']);
    expect(status).toBe(1);
    expect(stderr).toContain('Set ANTHROPIC_API_KEY or OPENAI_API_KEY');
  });
});

describe('the coding agent on the page', () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser('the coding agent on the page');
  });
  afterAll(() => browser?.close());

  it('asks before it runs and edits, and fixes the test', async ({ skip }) => {
    if (browser === undefined) {
      skip();
      return;
    }
    const server = await startScriptedServer({ script });
    const product = await startProduct(home, 0, { cwd: repository, env: modelOf(server.url) });
    const page = await browser.newPage();
    try {
      await page.goto(product.url);
      await page.getByLabel('Message').fill('Fix the failing test');
      await page.getByRole('button', { name: 'Send' }).click();
      for (let asked = 0; asked < 3; asked++) {
        await page.getByRole('button', { name: 'Approve', exact: true }).first().click();
      }
      await page.getByText('It adds now, and the test passes.').waitFor();
      expect(source()).toContain('a + b');
      const shot = process.env['SINGLETREE_SCREENSHOTS'];
      if (shot !== undefined) await page.screenshot({ path: join(shot, 'coder.png'), fullPage: true });
    } finally {
      await page.close();
      await product.end('SIGTERM');
      await server.close();
    }
  }, 120_000);
});

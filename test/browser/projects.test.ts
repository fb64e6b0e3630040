import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { describeUntrusted, loadConfig } from '../../src/config/index.ts';
import { type ModelScript, type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { command } from '../support/coder-scene.ts';
import { type Product, startProduct } from '../support/product.ts';
import { openBrowser } from './page-scene.ts';
import { chosenIn, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const rightKey = 'sk-right-0123456789abcdef';
const wrongKey = 'sk-wrong-0123456789abcdef';

/** Runs the command that a message names, then says that it is done. */
const script: ModelScript = ({ step, toolNames, lastUserText }) => {
  const [, line] = /^Run (.*)$/.exec(lastUserText) ?? [];
  if (toolNames.length === 0 || line === undefined) return 'A short answer.';
  return step === 0 ? [{ toolCall: { name: 'bash', input: { command: line } } }] : `Finished ${line}.`;
};

describe.skipIf(browser === undefined)('one server for all folders', () => {
  let model: ScriptedServer;
  let provider: Server;
  let root: string;
  let product: Product;
  let page: Page;

  /** A provider that takes one key, and repeats a wrong one in its refusal. */
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const given = request.headers.authorization?.replace('Bearer ', '');
    if (given !== rightKey) {
      response.writeHead(401, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${given ?? 'none'}` } }));
    }
    const body = await buffer(request);
    const { method = 'GET', url = '/' } = request;
    const sent = await fetch(`${model.url}${url}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    response.writeHead(sent.status, { 'content-type': sent.headers.get('content-type') ?? 'text/plain' });
    return response.end(Buffer.from(await sent.arrayBuffer()));
  };
  const home = () => join(root, 'data');
  const folder = (name: string) => join(root, 'home', name);
  const put = (path: string, text: string) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  };
  const env = (more = {}) => ({
    HOME: join(root, 'home'),
    OPENAI_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
    ...more,
  });
  const start = async (more?: object) => {
    product = await startProduct(home(), 0, { cwd: folder('one'), env: env(more) });
    await page.goto(product.link);
  };
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const begin = async (text: string) => {
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: /^Coder/ }).click();
    await say(text);
  };
  const approve = () => page.getByRole('log').getByRole('button', { name: 'Approve', exact: true }).click();
  const connect = () => createClient({ baseUrl: product.url, token: product.token });
  /** The events of the conversation that changed last. */
  const exportNewest = async () => {
    const [thread] = await connect().listThreads();
    const headers = { authorization: `Bearer ${product.token}` };
    return (await fetch(`${product.url}/api/threads/${thread?.id}/export`, { headers })).text();
  };
  const done = (line: string, at = 0) => page.getByText(`Finished ${line}.`).nth(at).waitFor();

  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-projects-')));
    for (const name of ['home/one', 'home/two', 'home/three', 'outside'])
      mkdirSync(join(root, name), { recursive: true });
    symlinkSync(join(root, 'outside'), folder('link'));
    model = await startScriptedServer({ script });
    provider = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    page = await (browser as NonNullable<typeof browser>).newPage();
    page.setDefaultTimeout(15_000);
  });
  afterEach(async () => {
    await page.close();
    await product.end('SIGKILL');
    provider.closeAllConnections();
    provider.close();
    await model.close();
    rmSync(root, { recursive: true, force: true });
  });
  afterAll(() => browser?.close());

  it('takes a key on the page, tests and uses it at once, hides it everywhere, and removes it', async () => {
    await start();
    await page.getByRole('link', { name: 'enter a key' }).click();
    const row = page.getByRole('listitem', { name: 'OpenAI', exact: true });
    const enter = async (key: string, name: string) => {
      await row.getByRole('button', { name }).click();
      await row.getByLabel('Key of OpenAI').fill(key);
      await row.getByRole('button', { name: 'Save and test' }).click();
    };
    await enter(wrongKey, 'Enter key');
    await row.getByText('Incorrect API key provided').waitFor();
    await takePictures(page, 'keys-wrong');
    expect(await page.content()).not.toContain(wrongKey);
    await enter(rightKey, 'Replace key');
    await row.getByText(/^Works: openai\/\S+ answered/).waitFor();
    await takePictures(page, 'keys');
    await expectReadable(page);
    const file = join(home(), 'providers.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);

    await begin('Run env');
    await approve();
    await done('env');
    const text = await exportNewest();
    expect(text).toContain('PATH=');
    expect(text).not.toContain(rightKey);
    expect(text).not.toContain('[redacted]');

    await page.getByRole('link', { name: 'Models and keys' }).click();
    await row.getByRole('button', { name: 'Remove' }).click();
    await row.getByText('no key: enter one').waitFor();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByRole('link', { name: 'enter a key' }).waitFor();
    expect(readFileSync(file, 'utf8')).not.toContain('sk-');
  });

  it('opens folders as projects, asks before their configuration applies, and moves a conversation', async () => {
    const rules = { permissions: { rules: [{ command: 'pwd', policy: 'allow' }] } };
    put(join(folder('two'), 'singletree.config.json'), JSON.stringify(rules));
    await start({ OPENAI_API_KEY: rightKey });
    const picker = page.getByRole('button', { name: /^Project: / });
    await picker.click();
    await page.getByRole('menuitem', { name: 'Open folder…' }).click();
    const browse = page.getByRole('dialog', { name: 'Open folder' });
    await browse.getByRole('button', { name: 'two' }).waitFor();
    expect(await browse.getByRole('listitem').allInnerTexts()).toEqual([
      'one',
      'three',
      expect.stringContaining('two'),
    ]);
    await takePictures(page, 'open-folder');
    await browse.getByRole('button', { name: 'two' }).click();
    await browse.getByRole('button', { name: 'Open two' }).click();

    const question = page.getByRole('dialog', { name: 'Trust this folder?' });
    const { untrusted } = await loadConfig({ cwd: folder('two'), home: home(), env: {} });
    expect(await question.locator('pre').innerText()).toBe(describeUntrusted(untrusted as never).join('\n'));
    await takePictures(page, 'trust');
    await expectReadable(page, 'dialog');
    await question.getByRole('button', { name: 'Not now' }).click();
    expect(await picker.getAttribute('aria-label')).toBe('Project: two');

    await begin('Run pwd');
    await approve();
    await done('pwd');
    expect(await exportNewest()).toContain(`"output":"${folder('two')}`);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Read what it does' }).click();
    await question.getByRole('button', { name: 'Trust', exact: true }).click();
    await question.waitFor({ state: 'detached' });
    await begin('Run pwd');
    await done('pwd');

    await page.getByRole('button', { name: `Folder: ${folder('two')}` }).click();
    await page.getByRole('menuitemradio', { name: /^one/ }).waitFor();
    await takePictures(page, 'thread-folder');
    await page.getByRole('menuitemradio', { name: /^one/ }).click();
    await page.getByRole('button', { name: `Folder: ${folder('one')}` }).waitFor();
    await say('Run pwd');
    // The rule of the other project does not apply here.
    await approve();
    await done('pwd', 1);
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await expect.poll(() => list.innerText()).toMatch(/\none\n[^]*\ntwo\n/);
    await takePictures(page, 'projects');

    const joined = execFileSync(process.execPath, [command, 'serve', '--json', '--no-open'], {
      cwd: folder('three'),
      env: { ...bareEnvironment(), ...env(), SINGLETREE_HOME: home() },
      encoding: 'utf8',
    });
    expect(JSON.parse(joined)).toEqual({ url: product.url, folder: folder('three'), isJoined: true });
    await page.goto(`${product.url}/?project=${encodeURIComponent(folder('three'))}`);
    await page.getByRole('button', { name: 'Project: three' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('shows every rule with its source, MCP servers and skills, and revokes what was allowed for longer', async () => {
    const file = join(home(), 'singletree.config.json');
    const server = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
    put(
      file,
      JSON.stringify({ permissions: { rules: [{ command: 'rm *', policy: 'deny' }] }, mcpServers: { broken: server } }),
    );
    put(join(home(), 'skills/review/SKILL.md'), '---\nname: review\ndescription: Reviews a change\n---\nLook at it.\n');
    await start({ OPENAI_API_KEY: rightKey });
    await begin('Run date');
    const client = connect();
    await page.getByRole('log').getByRole('button', { name: 'Approve', exact: true }).waitFor();
    const [asked] = await client.listRelays();
    await client.answerRelay(asked?.threadId ?? '', asked?.id ?? '', { outcome: 'approve', remember: 'thread' });
    await done('date');
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('row', { name: `deny rm * ${file}` }).waitFor();
    await page.getByRole('row', { name: 'allow every read tool built in' }).waitFor();
    await page.getByRole('row', { name: 'ask every other call built in' }).waitFor();
    await page.getByRole('listitem', { name: 'broken' }).getByText('not available').waitFor();
    await page.getByRole('listitem', { name: 'review' }).getByText('Reviews a change').waitFor();
    await takePictures(page, 'rules');
    await expectReadable(page);
    const grant = page.getByRole('listitem', { name: 'date' });
    await grant.getByRole('button', { name: 'Revoke' }).click();
    await grant.waitFor({ state: 'detached' });

    await page.getByRole('navigation', { name: 'Conversations' }).getByText('Run date').first().click();
    await say('Run date');
    await approve();
    await done('date', 1);
  });

  it('saves a suggested rule for all conversations, which another project uses, and which is revoked', async () => {
    await start({ OPENAI_API_KEY: rightKey });
    for (let count = 0; count < 3; count++) {
      await begin('Run date');
      await approve();
      await done('date');
    }
    await begin('Run date');
    await page.getByRole('log').getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    const rule = page.getByRole('region', { name: 'Suggested rule' });
    await rule.getByText('bash may run exactly “date” without asking').waitFor();
    await rule.getByRole('button', { name: 'Approve, and save it for all conversations' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    expect(statSync(join(home(), 'rules.json')).mode & 0o777).toBe(0o600);

    await connect().openProject(folder('two'));
    await page.goto(`${product.url}/?project=${encodeURIComponent(folder('two'))}`);
    await begin('Run date');
    await done('date');
    await page.getByRole('link', { name: 'Rules' }).click();
    const saved = page.getByRole('row', { name: 'allow date, tool bash saved for all conversations' });
    await saved.waitFor();
    await takePictures(page, 'rules-saved');
    await expectReadable(page);
    await saved.getByRole('button', { name: 'Revoke' }).click();
    await saved.waitFor({ state: 'detached' });
    await begin('Run date');
    await approve();
    await done('date');
  });

  it('compares agents in any open project, groups their worktrees with it, and continues its own agents after a restart', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: folder('two') });
    put(
      join(folder('two'), 'singletree.config.mjs'),
      `export default { agents: [{ id: 'greeter', async *invoke({ run: { runId, cwd } }) {
        yield { type: 'harness_start', runId, agentId: 'greeter', cwd };
        yield { type: 'text', runId, id: 't', content: 'Hello from ' + (cwd ?? 'nowhere') + '.' };
        yield { type: 'harness_end', runId, agentId: 'greeter' };
      }, abilities: { usesFolder: true } }] };`,
    );
    put(join(folder('two'), 'notes.md'), 'Notes.');
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'Begin');
    await start({ OPENAI_API_KEY: rightKey });
    const opened = await connect().openProject(folder('two'));
    await connect().trustProject({ folder: folder('two'), lines: opened.trust?.lines ?? [] });
    await page.goto(`${product.url}/?project=${encodeURIComponent(folder('two'))}`);
    await page.getByRole('button', { name: 'Project: two' }).waitFor();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByLabel('Request').fill('Greet.');
    for (const name of ['greeter', 'Coder']) await page.getByLabel(name, { exact: true }).check();
    await page.getByRole('button', { name: 'Start 2 agents' }).click();
    const states = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'State' }) });
    await states.getByText('complete').nth(1).waitFor();
    await takePictures(page, 'compare-project');
    await expectReadable(page);
    const threads = await connect().listThreads();
    expect(threads.map(({ project }) => project)).toEqual([folder('two'), folder('two')]);
    expect(threads.every(thread => thread.folder?.startsWith(join(home(), 'worktrees')))).toBe(true);
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await expect.poll(() => list.innerText()).toMatch(/\ntwo\n[^]*Greet[^]*Greet/);

    await product.end('SIGTERM');
    await start({ OPENAI_API_KEY: rightKey });
    const greeting = threads.find(({ agentId }) => agentId === 'greeter');
    await page.goto(`${product.url}/threads/${greeting?.id}`);
    await page.getByText('Hello from').first().waitFor();
    await expect.poll(() => chosenIn(page, 'Agent'), { timeout: 10_000 }).toBe('greeter');
    await say('Again.');
    await page.getByText(`Hello from ${greeting?.folder}.`).nth(1).waitFor();
  });
});

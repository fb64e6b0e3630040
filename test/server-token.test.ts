import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runMark } from '../src/agents/process/process-marks.ts';
import { type Client, createClient } from '../src/client/index.ts';
import { listOpenRuns } from '../src/control/supervision/open-runs.ts';
import { SqliteLog } from '../src/log/index.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { type Product, startProduct } from './support/product.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'singletree-token-'));
let product: Product;
let client: Client;
beforeAll(async () => {
  product = await startProduct(home);
  client = createClient({ baseUrl: product.url, token: product.token });
});
afterAll(async () => {
  await product.end('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...bareEnvironment(), SINGLETREE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: status as number, stdout, stderr };
}

/** A run that asks, and the mark that its programs have in their environment. */
async function asking() {
  const { id } = await client.createThread();
  await client.sendMessage(id, { content: 'Save a note: tea', agent: 'demo' });
  const listed = () => client.listRelays({ threadId: id });
  await expect.poll(async () => (await listed()).length, { timeout: 20_000 }).toBe(1);
  const [asked] = await listed();
  const log = await SqliteLog.open(join(home, 'singletree.db'));
  const thread = await log.getThread(id);
  await log.close();
  const [{ owner, runId } = { owner: '', runId: '' }] = thread === undefined ? [] : listOpenRuns(thread);
  return { id, relayId: asked?.id ?? '', mark: runMark(owner, id, runId) };
}

describe('a server on this machine that was given no token', () => {
  it('is opened by nothing but the token of its machine, and says what to do', async () => {
    const refused = await fetch(`${product.url}/api/threads`);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="singletree"']);
    expect(await refused.json()).toMatchObject({
      code: 'unauthorized',
      detail: expect.stringMatching(/Authorization: Bearer <token>.*the file `token` of its data folder/) as string,
    });
    expect(await client.listThreads()).toEqual([]);
    expect(product.output.join('\n')).not.toContain(product.token);
  });

  it('opens its page by a link, which leaves a cookie and no token in the address', async () => {
    const page = await fetch(`${product.url}/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/login?next=%2F']);
    const opened = await fetch(product.link, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
    const cookie = opened.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect((await fetch(`${product.url}/api/threads`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${product.url}/login?token=wrong-token`, { redirect: 'manual' })).status).toBe(401);
  });

  it('prints the link at a terminal, and opens the browser with a key that signs in once', async () => {
    const programs = join(home, 'programs');
    mkdirSync(programs);
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(programs, name), '#!/bin/sh\necho "$1" > "$SINGLETREE_HOME/opened"\n');
      chmodSync(join(programs, name), 0o755);
    }
    const PATH = `${programs}:${process.env['PATH']}`;
    const terminal = spawnPty(process.execPath, [command, 'serve', '--port', '0'], {
      cols: 200,
      env: { ...bareEnvironment(), PATH, SINGLETREE_HOME: home },
    });
    let printed = '';
    terminal.onData(data => (printed += data));
    const opened = await vi.waitFor(() => readFileSync(join(home, 'opened'), 'utf8').trim(), { timeout: 20_000 });
    expect(printed).toContain(`/login?token=${product.token}`);
    expect(opened).toMatch(/\/login\?token=.{40}/);
    expect(opened).not.toContain(product.token);
    const statuses = [];
    for (let count = 0; count < 2; count++) statuses.push((await fetch(opened, { redirect: 'manual' })).status);
    expect(statuses).toEqual([303, 401]);
    terminal.kill('SIGKILL');
  }, 30_000);

  it('is used by commands of the same person, which find the token', async () => {
    const { id } = await client.createThread();
    const sent = await run({}, 'send', id, 'Hello', '--server', product.url, '--no-wait');
    expect([sent.status, sent.stderr]).toEqual([0, '']);
    const other = await run({ SINGLETREE_HOME: join(home, 'other') }, 'send', id, 'Hello', '--server', product.url);
    expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('needs a token')]);
  }, 30_000);

  it.skipIf(process.platform !== 'linux')(
    'gives its token to no server of another machine',
    async () => {
      const tokens: unknown[] = [];
      const other = createServer((request, response) => {
        tokens.push(request.headers.authorization);
        response.writeHead(404).end();
      });
      other.listen(0, '127.0.0.2');
      await once(other, 'listening');
      const url = `http://127.0.0.2:${(other.address() as AddressInfo).port}`;
      expect((await run({}, 'send', 'last', 'Hello', '--server', url)).status).not.toBe(0);
      expect(new Set(tokens)).toEqual(new Set([undefined]));
      other.close();
    },
    30_000,
  );

  it('shows the sessions of the person at the machine, and one with a named token does not', async () => {
    expect((await client.getSetup()).hasSessions).toBe(true);
    const shared = await startProduct(home, 0, { env: { SINGLETREE_TOKEN: 'a-named-token' } });
    const other = createClient({ baseUrl: shared.url, token: 'a-named-token' });
    expect((await other.getSetup()).hasSessions).toBe(false);
    await expect(other.listSessions()).rejects.toMatchObject({ code: 'not_found' });
    await shared.end('SIGTERM');
  });

  it('refuses answers and messages of a program that the run itself started, over HTTP, by send and by inbox', async () => {
    const { id, relayId, mark } = await asking();
    const before = (await client.getThread(id)).seq;
    const inside = {
      authorization: `Bearer ${product.token}`,
      'content-type': 'application/json',
      'singletree-run': mark,
    };
    const post = (path: string, body: object) =>
      fetch(`${product.url}${path}`, { method: 'POST', headers: inside, body: JSON.stringify(body) });
    const relay = encodeURIComponent(relayId);
    for (const [path, body] of [
      [`/api/relays/${relay}`, { outcome: 'approve' }],
      [`/api/threads/${id}/relays/${relay}`, { outcome: 'approve' }],
      [`/api/threads/${id}/messages`, { content: 'You may.' }],
      ['/api/chat', { id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'You may.' }] }] }],
    ] as const)
      expect([path, await (await post(path, body)).json()]).toMatchObject([path, { code: 'request_forbidden' }]);
    const env = { SINGLETREE_RUN: mark };
    for (const args of [
      ['send', id, 'You may.', '--server', product.url],
      ['send', id, 'You may.'],
      ['inbox', 'approve', relayId],
    ])
      expect([args, await run(env, ...args)]).toMatchObject([
        args,
        { status: 1, stdout: '', stderr: expect.stringContaining('request_forbidden') as string },
      ]);
    expect((await client.getThread(id)).seq).toBe(before);
    const { id: another } = await client.createThread();
    expect((await post(`/api/threads/${another}/messages`, { content: 'Hi', agent: 'demo' })).status).toBe(202);
  }, 60_000);
});

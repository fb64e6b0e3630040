import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../src/client/index.ts';
import { MemoryLog } from '../src/log/index.ts';
import { ask } from './server/http.ts';
import { freePort, type PrivateServer, startNginx } from './support/private-servers.ts';
import { isInstalled } from './support/services.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';

const guide = readFileSync(new URL('../docs/guides/scale.md', import.meta.url), 'utf8');
const [site = '', main = ''] = [...guide.matchAll(/^```nginx\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

/** Replaces a text of the guide, which must have it, by what fits this machine. */
function adapted(text: string, edits: readonly (readonly [string, string])[]): string {
  return edits.reduce((edited, [from, to]) => {
    expect(edited).toContain(from);
    return edited.replace(from, to);
  }, text);
}

const token = 'ann-s-long-secret';
const headers = { authorization: `Bearer ${token}` };

describe.skipIf(!isInstalled('nginx'))('nginx as the scale guide configures it', () => {
  const log = new MemoryLog();
  const servers: TestServer[] = [];
  let nginx: PrivateServer;
  let host = '';
  beforeAll(async () => {
    const options = { log, hosts: ['agents.example'], tokens: [{ token, name: 'ann' }] };
    servers.push(await startTestServer([], options), await startTestServer([], options));
    const ports = [...servers.map(({ url }) => new URL(url).port), String(await freePort())];
    const port = String(await freePort());
    host = `agents.example:${port}`;
    nginx = await startNginx(Number(port), {
      'nginx.conf': adapted(main, [['error_log nginx-error.log;', 'error_log stderr notice;']]),
      'singletree.conf': adapted(site, [
        ...['4801', '4802', '4803'].map((given, index) => [given, ports[index] ?? ''] as const),
        ['listen 8080;', `listen 127.0.0.1:${port};`],
      ]),
    });
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    await nginx?.close();
  });

  it('passes on each event of a stream when it is appended', async () => {
    const { id } = await log.createThread();
    await log.append(id, [{ type: 'text', runId: 'r', id: 't', content: 'one' }]);
    const contents: string[] = [];
    for await (const event of createClient({ baseUrl: nginx.url, token }).watch(id)) {
      if (event.type === 'text') contents.push(event.content);
      // Each event is appended when the one before has arrived: nothing may wait in a buffer.
      if (contents.length === 1) await log.append(id, [{ type: 'text', runId: 'r', id: 't', content: 'two' }]);
      if (contents.length === 2) await log.append(id, [{ type: 'text', runId: 'r', id: 't', content: 'three' }]);
      if (contents.length === 3) break;
    }
    expect(contents).toEqual(['one', 'two', 'three']);
  });

  it('passes on the name, the token and the page of a request', async () => {
    const create = (sent: Record<string, string>) =>
      ask(nginx.url, '/api/threads', { method: 'POST', headers: sent, body: {} });
    expect((await create({ ...headers, host, origin: `http://${host}` })).status).toBe(201);
    expect((await create({ ...headers, host, origin: 'http://other.example' })).status).toBe(403);
    expect((await create({ ...headers, host: 'other.example' })).status).toBe(403);
    expect((await create({ host })).status).toBe(401);
  });

  it('skips a server that is gone, also for changes', async () => {
    const { id } = await log.createThread();
    const statuses = new Set<number>();
    for (let round = 0; round < 9; round++) {
      statuses.add((await ask(nginx.url, `/api/threads/${id}`, { headers })).status);
      const change = { method: 'PATCH', headers, body: { title: String(round) } };
      statuses.add((await ask(nginx.url, `/api/threads/${id}`, change)).status);
    }
    expect([...statuses]).toEqual([200]);
  });

  it('lets through an import that is larger than what nginx allows by default', async () => {
    const event = { type: 'text', runId: 'r', id: 't', content: 'x'.repeat(1_000_000), ts: '2026-01-01T00:00:00.000Z' };
    const body = [1, 2, 3].map(seq => `${JSON.stringify({ ...event, seq })}\n`).join('');
    const sent = { ...headers, 'content-type': 'application/x-ndjson' };
    expect((await ask(nginx.url, '/api/threads/import', { method: 'POST', headers: sent, body })).status).toBe(201);
  });
});

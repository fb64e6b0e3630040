import { afterEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

const agent = scriptedAgent('echo', async function* ({ event }) {
  yield event('text', { id: 't', content: 'Hi.' });
});
const app = 'http://localhost:3000';
const token = 'a-long-token';
const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

let server: TestServer;
afterEach(() => server.close());

const preflight = (origin: string, path = '/api/threads') =>
  ask(server.url, path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-ai-sdk-version',
    },
  });
const create = (headers: Record<string, string>) =>
  ask(server.url, '/api/threads', { method: 'POST', headers, body: {} });

describe('a server without allowed origins', () => {
  it('answers no page of another origin', async () => {
    server = await startTestServer([agent]);
    const asked = await preflight(app);
    expect([asked.status, corsHeaders(asked.headers)]).toEqual([403, {}]);
    const read = await ask(server.url, '/api/threads', { headers: { origin: app } });
    expect([read.status, corsHeaders(read.headers), read.headers.get('vary')]).toEqual([200, {}, null]);
    expect(await create({ origin: app })).toMatchObject({ status: 403, json: { code: 'request_forbidden' } });
  });
});

describe('a server with allowed origins', () => {
  const start = async () => {
    server = await startTestServer([agent], { cors: [app, 'https://app.example'], tokens: [{ token }] });
  };
  const authorization = `Bearer ${token}`;

  it('answers the preflight of exactly these, without a token', async () => {
    await start();
    for (const path of ['/api/threads', '/api/chat']) {
      const asked = await preflight(app, path);
      expect(asked.status).toBe(204);
      expect(corsHeaders(asked.headers)).toMatchObject({
        'access-control-allow-origin': app,
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,content-type,x-ai-sdk-version',
      });
      expect(asked.headers.get('vary')).toBe('Origin');
    }
    for (const other of [
      'http://localhost:3001',
      'https://localhost:3000',
      'http://localhost:3000.evil.example',
      'https://evil.app.example',
      'null',
    ]) {
      const asked = await preflight(other);
      expect([asked.status, corsHeaders(asked.headers)]).toEqual([403, {}]);
    }
  });

  it('lets them read and change with a token, and shows them its errors', async () => {
    await start();
    const created = await create({ origin: app, authorization });
    expect([created.status, corsHeaders(created.headers)]).toEqual([
      201,
      { 'access-control-allow-origin': app, 'access-control-expose-headers': '*' },
    ]);
    const refused = await create({ origin: app });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, app]);
    const stream = await fetch(`${server.url}/api/threads/${String(created.json['id'])}/events`, {
      headers: { origin: app, authorization },
    });
    expect(stream.headers.get('access-control-allow-origin')).toBe(app);
    await stream.body?.cancel();
  });

  it('never allows credentials: a cookie does not let another origin in', async () => {
    await start();
    const login = await ask(server.url, '/login', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `token=${token}`,
    });
    const cookie = String(login.headers.get('set-cookie')).split(';')[0] ?? '';
    expect((await ask(server.url, '/api/threads', { headers: { cookie } })).status).toBe(200);
    const crossed = await ask(server.url, '/api/threads', { headers: { cookie, origin: app } });
    expect(crossed.status).toBe(401);
    expect(crossed.headers.get('access-control-allow-credentials')).toBe(null);
    expect((await create({ cookie, origin: app })).status).toBe(401);
  });

  it.each(['*', 'null', 'localhost:3000', 'http://localhost:3000/', 'https://*.example', 'HTTPS://app.example', ''])(
    'accepts no origin that is not exact: %j',
    async origin => {
      await start();
      await expect(startTestServer([agent], { cors: [origin] })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('an exact origin'),
      });
    },
  );
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

const secret = 'sk-very-secret-value';
const hold = gate();
const leaky = scriptedAgent('leaky', async function* ({ event, until, answer, params }) {
  yield event('text', { id: 't', content: `the key is ${secret}` });
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'question', question: 'Well?' });
  await Promise.race([answer(id), until(hold.opened)]);
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a server with tokens', () => {
  let server: TestServer;
  let mine: string;
  let theirs: string;
  let theirRun: string;
  beforeAll(async () => {
    server = await startTestServer([leaky], {
      host: '0.0.0.0',
      hosts: ['agents.example'],
      tokens: [{ token: 'master-token' }, { token: 'my-own-token', resourceId: 'mine' }],
      secrets: [secret],
      filesRoot: import.meta.dirname,
      attempts: { most: 1000 },
    });
    mine = (await server.log.createThread({ resourceId: 'mine' })).id;
    theirs = (await server.log.createThread({ resourceId: 'theirs' })).id;
    const sent = await ask(server.url, `/api/threads/${theirs}/messages`, {
      method: 'POST',
      headers: bearer('master-token'),
      body: { content: 'go' },
    });
    theirRun = String(sent.json['runId']);
    for await (const event of server.log.tail(theirs)) if (event.type === 'relay') break;
  });
  afterAll(async () => {
    hold.open();
    await server.close();
  });
  const local = (path: string, options: Parameters<typeof ask>[2] = {}) =>
    ask(server.url.replace('0.0.0.0', '127.0.0.1'), path, options);

  it.each([
    ['GET', '/api/threads'],
    ['GET', '/metrics'],
    ['GET', '/api/openapi.json'],
    ['POST', '/api/chat'],
    ['GET', '/index.html'],
  ])('refuses %s %s without a token and with a wrong one', async (method, path) => {
    for (const headers of [{}, bearer('wrong-token'), { cookie: 'singletree_access=wrong' }]) {
      const answer = await local(path, { method, headers });
      expect([answer.status, answer.json['code']]).toEqual([401, 'unauthorized']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('reports without a token that it lives', async () => {
    expect((await local('/healthz')).json).toEqual({ status: 'ok' });
    expect((await local('/readyz')).json).toEqual({ status: 'ready' });
  });

  it('sends a browser to the sign-in page, and from there back with a cookie that also opens streams', async () => {
    const sent = await local('/some/page', { headers: { accept: 'text/html' } });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/login?next=%2Fsome%2Fpage']);
    const page = await local('/login?next=%2Fsome%2Fpage');
    expect(page.text).toContain('value="/some/page"');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const wrong = await local('/login', { ...form, body: 'token=nope&next=/x' });
    expect([wrong.status, wrong.text.includes('not known')]).toEqual([401, true]);
    const right = await local('/login', { ...form, body: 'token=master-token&next=/some/page' });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/some/page']);
    const cookie = right.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^singletree_access=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
    const headers = { cookie: cookie.split(';')[0] as string };
    expect((await local('/api/threads', { headers })).status).toBe(200);
    const stream = await fetch(`${server.url}/api/threads/${mine}/events`, { headers });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'never sends anybody on to %s',
    async next => {
      const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const body = `token=master-token&next=${encodeURIComponent(next)}`;
      expect((await local('/login', { ...form, body })).headers.get('location')).toBe('/');
      expect((await local(`/login?next=${encodeURIComponent(next)}`)).text).toContain('name="next" value="/"');
    },
  );

  it('shows a token of one resource only what belongs to it', async () => {
    const headers = bearer('my-own-token');
    const { json } = await local('/api/threads', { headers });
    expect((json['threads'] as { id: string }[]).map(({ id }) => id)).toEqual([mine]);
    expect((await local('/api/relays', { headers })).json).toEqual({ relays: [] });
    expect((await local('/api/relays', { headers: bearer('master-token') })).json['relays']).toHaveLength(1);
    const made = await local('/api/threads', { method: 'POST', headers, body: {} });
    expect(made.json).toMatchObject({ resourceId: 'mine' });
    const seq = (await server.log.getThread(theirs))?.seq;
    const foreign: [string, string, unknown?][] = [
      ['GET', `/api/threads/${theirs}`],
      ['PATCH', `/api/threads/${theirs}`, { title: 'x' }],
      ['DELETE', `/api/threads/${theirs}`],
      ['GET', `/api/threads/${theirs}/events`],
      ['GET', `/api/threads/${theirs}/export`],
      ['GET', `/api/threads/${theirs}/runs`],
      ['GET', `/api/threads/${theirs}/runs/${theirRun}/raw`],
      ['GET', `/api/threads/${theirs}/usage`],
      ['GET', `/api/threads/${theirs}/files`],
      ['POST', `/api/threads/${theirs}/branches`, {}],
      ['POST', `/api/threads/${theirs}/messages`, { content: 'x' }],
      ['POST', `/api/threads/${theirs}/relays/${encodeURIComponent(`${theirRun}/ask`)}`, { outcome: 'reject' }],
      ['POST', `/api/relays/${encodeURIComponent(`${theirRun}/ask`)}`, { outcome: 'reject' }],
      ['POST', `/api/runs/${theirRun}/abort`],
      ['POST', '/api/threads', { resourceId: 'theirs' }],
      ['GET', '/api/threads?resourceId=theirs'],
      ['GET', '/api/events?resourceId=theirs'],
      ['POST', '/api/chat', { id: theirs, messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }] }],
      ['GET', '/metrics'],
    ];
    for (const [method, path, body] of foreign) {
      const answer = await local(path, { method, headers, ...(body !== undefined && { body }) });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await local(`/api/chat/${theirs}/stream`, { headers })).status).toBe(204);
    expect((await server.log.getThread(theirs))?.seq).toBe(seq);
    expect(server.control.running()).toHaveLength(1);
  });

  it('shows a token of one resource no file of a folder that all share', async () => {
    const registered = { type: 'file_registered' as const, runId: 'r', id: 'f', path: 'security.test.ts' };
    const { id } = await server.log.createThread({ resourceId: 'mine' });
    await server.log.append(id, [registered]);
    const get = (token: string) => local(`/api/threads/${id}/files/f`, { headers: bearer(token) });
    expect([(await get('master-token')).status, (await get('my-own-token')).status]).toEqual([200, 404]);
  });

  it.each([
    ['evil.example', 403],
    ['agents.example', 200],
    ['AGENTS.example:8443', 200],
    ['192.168.7.7:4747', 200],
    ['[2001:db8::1]:4747', 200],
    ['agents.example.evil.example', 403],
  ])('called by the name %s answers %i', async (host, status) => {
    expect((await local('/api/threads', { headers: { ...bearer('master-token'), host } })).status).toBe(status);
  });

  it('takes changes only from its own pages', async () => {
    const post = (origin: string) =>
      local('/api/threads', {
        method: 'POST',
        headers: { ...bearer('master-token'), host: 'agents.example', origin },
        body: {},
      });
    expect((await post('https://agents.example')).status).toBe(201);
    expect((await post('http://agents.example')).status).toBe(201);
    expect((await post('https://evil.example')).status).toBe(403);
    expect((await post('null')).status).toBe(403);
  });

  it.each([1, 2, 9, 19])('shows no secret that is split over two fragments after %i characters', async cut => {
    const headers = bearer('master-token');
    const { id } = await server.log.createThread({});
    const text = (content: string) => ({ type: 'text' as const, runId: 'r', id: 't', content });
    await server.log.append(id, [
      { type: 'harness_start', runId: 'r', agentId: 'leaky' },
      text(`the key is ${secret.slice(0, cut)}`),
      text(`${secret.slice(cut)} and no more`),
      { type: 'harness_end', runId: 'r', agentId: 'leaky', reason: 'complete' },
    ]);
    const shown = [(await local(`/api/threads/${id}/export`, { headers })).text];
    for (const query of ['?', '?after=2', '?protocol=flow', '?protocol=ai-sdk']) {
      const stream = await fetch(`${server.url}/api/threads/${id}/events${query}`, { headers });
      let all = '';
      for await (const chunk of (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        all += chunk;
        if (all.includes('harness_end')) break;
      }
      shown.push(all);
    }
    for (const text of shown) {
      expect(text).toContain(' and no more');
      expect(text).not.toContain(secret.slice(Math.min(cut, 9)));
    }
  });

  it('shows no secret: not in events, exports, encoded streams, nor in problems', async () => {
    const headers = bearer('master-token');
    const events = await server.log.read(theirs);
    expect(JSON.stringify(events)).toContain(secret);
    const exported = await local(`/api/threads/${theirs}/export`, { headers });
    expect(exported.text).toContain('the key is [redacted]');
    for (const format of ['markdown', 'html', 'atif']) {
      const document = await local(`/api/threads/${theirs}/export?format=${format}`, { headers });
      expect(document.text).toContain('the key is [redacted]');
      expect(document.text).not.toContain(secret);
    }
    for (const query of ['', '?protocol=flow', '?protocol=ai-sdk']) {
      const stream = await fetch(`${server.url}/api/threads/${theirs}/events${query}`, { headers });
      let text = '';
      for await (const chunk of (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.includes('the key is')) break;
      }
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(secret);
    }
    const problem = await local(`/api/threads/${secret}`, { headers });
    expect(problem.json['detail']).toBe('There is no thread "[redacted]".');
  });

  it('is opened by the client with its token', async () => {
    const client = createClient({ baseUrl: server.url, token: 'my-own-token' });
    expect((await client.listThreads()).length).toBeGreaterThan(0);
    await expect(createClient({ baseUrl: server.url, token: 'none' }).listThreads()).rejects.toMatchObject({
      code: 'request_forbidden',
      details: { code: 'unauthorized' },
    });
  });
});

describe('guessing tokens', () => {
  it('is stopped after a few wrong ones, and keeps out nobody who has a right one', async () => {
    const server = await startTestServer([], { tokens: [{ token: 'the-right-one' }], attempts: { most: 3 } });
    const statuses = [];
    for (const token of ['a', 'b', 'c', 'd', 'the-right-one', 'e'])
      statuses.push((await ask(server.url, '/api/threads', { headers: bearer(token) })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 200, 429]);
    const answer = await ask(server.url, '/api/threads', { headers: bearer('x') });
    expect(answer.json).toMatchObject({ code: 'too_many_attempts', status: 429 });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await server.close();
  });
});

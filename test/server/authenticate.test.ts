import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Supervisor } from '../../src/control/index.ts';
import { Worktrees } from '../../src/control/worktrees/worktrees.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { type AppOptions, type Caller, createApp, type Right } from '../../src/server/index.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'permission', toolCallId: 'c', tool: 'write', params: {} });
  await answer(id);
});

/** The sessions of a product: who a cookie stands for. */
const sessions = new Map<string, Caller>();
const userOf = (cookie: string | null) => sessions.get(/session=(\w+)/.exec(cookie ?? '')?.[1] ?? '');
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([asker], {
    authenticate: async ({ headers }) => userOf(headers.get('cookie')),
    cors: ['https://other.example'],
  });
});
afterAll(() => server.close());

function signIn(session: string, rights: readonly Right[], resourceId: string | null = 'acme'): string {
  sessions.set(session, { name: session, resourceId, rights });
  return `session=${session}`;
}
const all: readonly Right[] = ['read', 'send', 'approve', 'administer'];

describe('a server that authenticates by a function', () => {
  it('stores who a session belongs to as the author of its messages', async () => {
    const cookie = signIn('ann', all);
    const { json } = await ask(server.url, '/api/threads', { method: 'POST', headers: { cookie }, body: {} });
    expect(json).toMatchObject({ resourceId: 'acme' });
    const path = `/api/threads/${String(json['id'])}/messages`;
    await ask(server.url, path, { method: 'POST', headers: { cookie }, body: { content: 'hi' } });
    expect(await server.log.read(String(json['id']), { after: 0 })).toContainEqual(
      expect.objectContaining({ type: 'user', content: 'hi', by: 'ann' }),
    );
  });

  it('does not find the threads of other resources', async () => {
    const { id } = await server.log.createThread({ resourceId: 'other' });
    const headers = { cookie: signIn('bob', all) };
    for (const path of [`/api/threads/${id}`, `/api/threads/${id}/events`, `/api/threads?resourceId=other`])
      expect((await ask(server.url, path, { headers })).status).toBe(404);
    const everything = { cookie: signIn('root', all, null) };
    expect((await ask(server.url, `/api/threads/${id}`, { headers: everything })).status).toBe(200);
  });

  it('refuses a request of nobody, without the page of tokens', async () => {
    for (const headers of [{}, { cookie: 'session=gone' }, { authorization: 'Bearer x', accept: 'text/html' }])
      expect(await ask(server.url, '/api/threads', { headers })).toMatchObject({
        status: 401,
        json: { code: 'unauthorized' },
      });
    expect((await ask(server.url, '/login')).status).toBe(401);
    expect((await ask(server.url, '/healthz')).status).toBe(200);
    expect(() => server.createLink('x')).toThrow(expect.objectContaining({ code: 'not_supported' }));
  });

  it('shows the function no cookie of a page of another origin', async () => {
    const headers = { cookie: signIn('eve', all), origin: 'https://other.example' };
    expect((await ask(server.url, '/api/threads', { headers })).status).toBe(401);
  });

  it('asks the function at each request: a session that ended opens nothing', async () => {
    const headers = { cookie: signIn('joe', all) };
    expect((await ask(server.url, '/api/threads', { headers })).status).toBe(200);
    sessions.delete('joe');
    expect((await ask(server.url, '/api/threads', { headers })).status).toBe(401);
  });

  it.each([
    ['without a resource', { rights: all }],
    ['with an empty resource', { resourceId: '', rights: all }],
    ['with an unknown right', { resourceId: null, rights: ['everything'] }],
    ['that is a text', 'ann'],
  ])('opens nothing to a caller %s, and reports it', async (_, caller) => {
    const failures: unknown[] = [];
    const app = appWith({
      authenticate: () => caller as unknown as Caller,
      onFailure: error => void failures.push(error),
    });
    expect((await app.request('http://localhost/api/threads', { headers: { host: 'localhost' } })).status).toBe(500);
    expect(String(failures[0])).toContain('Expected { name?, resourceId, rights }');
  });

  it('takes either a list of tokens or a function', () => {
    expect(() => appWith({ tokens: [{ token: 'a-long-token' }], authenticate: () => undefined })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  it('answers methods that no request of a browser has', async () => {
    const headers = { cookie: signIn('tracer', all) };
    expect((await ask(server.url, '/api/threads', { method: 'TRACE', headers })).status).toBe(404);
  });
});

describe('an app with names in hosts', () => {
  it('answers them, and needs tokens or a function', async () => {
    const authenticate = (): Caller => ({ resourceId: null, rights: all });
    const app = appWith({ hosts: ['agents.example'], authenticate });
    const headers = { host: 'agents.example' };
    expect((await app.request('https://agents.example/api/threads', { headers })).status).toBe(200);
    expect((await app.request('https://other.example/', { headers: { host: 'other.example' } })).status).toBe(403);
    for (const options of [{ hosts: ['agents.example'] }, { isPublic: true }])
      expect(() => appWith(options)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

describe('the rights of a caller', () => {
  it('are those that each route states', async () => {
    const folder = tmpdir();
    const app = appWith({ snapshots: folder, worktrees: new Worktrees({ home: folder, folder }) });
    const response = await app.request('http://localhost/api/openapi.json', { headers: { host: 'localhost' } });
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, OperationInfo>> };
    const rights: Record<string, string[]> = {};
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { security }] of Object.entries(methods)) {
        const [right = 'none'] = security.flatMap(({ token = [] }) => token);
        (rights[right] ??= []).push(`${method} ${path}`);
      }
    expect(rights).toEqual({
      administer: [
        'post /api/threads/import',
        'delete /api/threads/{threadId}',
        'delete /api/threads/{threadId}/worktree',
        'post /api/threads/{threadId}/worktree/keep',
        'get /api/sessions',
        'post /api/sessions/{sessionId}/import',
        'post /api/projects',
        'post /api/projects/trust',
        'get /api/folders',
        'post /api/threads/{threadId}/folder',
        'post /api/rules',
        'delete /api/rules/{ruleId}',
        'get /api/providers',
        'post /api/providers',
        'post /api/providers/{providerId}/test',
        'delete /api/providers/{providerId}',
        'delete /api/threads/{threadId}/grants/{relayId}',
      ],
      approve: ['post /api/relays/{relayId}', 'post /api/threads/{threadId}/relays/{relayId}'],
      none: ['get /healthz', 'get /readyz', 'get /login', 'post /login', 'post /logout', 'get /login.css'],
      read: [
        'get /metrics',
        'get /api/agents',
        'get /api/setup',
        'get /api/threads',
        'get /api/changes',
        'get /api/threads/{threadId}',
        'get /api/threads/{threadId}/export',
        'get /api/threads/{threadId}/queue',
        'get /api/worktrees',
        'get /api/threads/{threadId}/worktree',
        'get /api/threads/{threadId}/worktree/patch',
        'get /api/projects',
        'get /api/rules',
        'get /api/threads/{threadId}/events',
        'get /api/relays',
        'get /api/decisions',
        'get /api/grants',
        'get /api/threads/{threadId}/base-changes',
        'get /api/threads/{threadId}/runs',
        'get /api/threads/{threadId}/runs/{runId}',
        'get /api/threads/{threadId}/runs/{runId}/raw',
        'get /api/threads/{threadId}/usage',
        'get /api/threads/{threadId}/window',
        'get /api/events',
        'get /api/search',
        'get /api/usage',
        'get /api/threads/{threadId}/files',
        'get /api/threads/{threadId}/files/{fileId}',
        'get /api/mentions',
        'get /api/chat/{threadId}/messages',
        'get /api/chat/{threadId}/stream',
        'get /api/ag-ui/info',
        'post /api/ag-ui/agent/{agentId}/connect',
        'get /api/openapi.json',
        'get /api/reference',
      ],
      send: [
        'post /api/threads',
        'patch /api/threads/{threadId}',
        'post /api/threads/{threadId}/branches',
        'post /api/threads/{threadId}/messages',
        'post /api/threads/{threadId}/retries',
        'post /api/threads/{threadId}/selection',
        'patch /api/threads/{threadId}/queue/{messageId}',
        'delete /api/threads/{threadId}/queue/{messageId}',
        'post /api/threads/{threadId}/queue/{messageId}/send',
        'post /api/comparisons',
        'post /api/threads/{threadId}/undo',
        'post /api/threads/{threadId}/redo',
        'post /api/threads/{threadId}/runs/{runId}/stop',
        'post /api/runs/{runId}/abort',
        'post /api/chat',
        'post /api/ag-ui/agent/{agentId}/run',
        'post /api/ag-ui/agent/{agentId}/stop/{threadId}',
      ],
    });
  });

  it('are needed one by one: none includes another', async () => {
    const { id } = await server.log.createThread({ resourceId: 'acme' });
    const requests: Record<Right, [method: string, path: string, body?: object]> = {
      read: ['GET', `/api/threads/${id}`],
      send: ['PATCH', `/api/threads/${id}`, { title: 'Renamed' }],
      approve: ['POST', `/api/threads/${id}/relays/none`, { outcome: 'approve' }],
      administer: ['DELETE', `/api/threads/${id}`],
    };
    for (const right of all)
      for (const other of all) {
        const [method, path, body] = requests[other];
        const headers = { cookie: signIn('one', [right]) };
        const { status, json } = await ask(server.url, path, { method, headers, body });
        if (right !== other) {
          expect([status, json['code']]).toEqual([403, 'request_forbidden']);
          expect(json['detail']).toContain(`This needs the right "${other}"; "one" has ${right}.`);
        } else expect(status).toBe(other === 'approve' ? 404 : other === 'administer' ? 204 : 200);
      }
  });

  it('can be given to a token', async () => {
    const app = appWith({ tokens: [{ token: 'a-long-token', name: 'viewer', rights: ['read'] }] });
    const headers = { authorization: 'Bearer a-long-token', 'content-type': 'application/json', host: 'localhost' };
    expect((await app.request('http://localhost/api/threads', { headers })).status).toBe(200);
    const send = { method: 'POST', headers, body: '{}' };
    expect((await app.request('http://localhost/api/threads', send)).status).toBe(403);
  });

  it('let a chat of the AI SDK answer approvals only with the right to approve', async () => {
    const { id } = await server.log.createThread({ resourceId: 'acme' });
    const part = {
      type: 'tool-write',
      state: 'approval-responded',
      toolCallId: 'c',
      approval: { id: 'r', approved: true },
    };
    const body = { id, messages: [{ id: 'm', role: 'assistant', parts: [part] }] };
    const headers = { cookie: signIn('sender', ['read', 'send']) };
    const { status, json } = await ask(server.url, '/api/chat', { method: 'POST', headers, body });
    expect([status, json['code']]).toEqual([403, 'request_forbidden']);
  });
});

describe('one app for 10,000 users', () => {
  it('keeps nothing of a user', async () => {
    const app = appWith({
      authenticate: ({ headers }) => ({ name: 'user', resourceId: headers.get('x-user') ?? '', rights: all }),
    });
    const heapAfter = async (from: number, to: number) => {
      for (let user = from; user < to; user++) {
        const headers = { 'x-user': `user-${user}`, host: 'localhost' };
        const response = await app.request('http://localhost/api/threads', { headers });
        if (response.status !== 200) throw new Error(await response.text());
        await response.text();
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const first = await heapAfter(0, 1000);
    const grown = (await heapAfter(1000, 10_000)) - first;
    // An app for each user would take gigabytes, a kilobyte for each user 9 MB.
    expect(grown).toBeLessThan(4_000_000);
  }, 60_000);
});

interface OperationInfo {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

function appWith(options: Partial<AppOptions>) {
  const log = new MemoryLog();
  const control = new Supervisor({ log });
  return createApp({ log, control, agents: { list: () => [], get: () => undefined }, logStyle: 'off', ...options });
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

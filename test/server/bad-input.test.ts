import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Answer, ask } from './http.ts';
import { type Operation, operationsOf } from './open-api.ts';

const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'question', question: 'Well?' });
  await answer(id);
});
const token = 'a-good-token';
const key = { authorization: `Bearer ${token}` };

let server: TestServer;
let operations: Operation[];
let names: Record<string, string>;
let before: unknown;
beforeAll(async () => {
  const sessions = { home: '/nowhere', environment: {} };
  server = await startTestServer([asker], { tokens: [{ token }], attempts: { most: 1e6 }, sessions });
  const open = await startTestServer([]);
  operations = await operationsOf(open.url);
  await open.close();
  const { id } = await server.log.createThread();
  const run = await server.control.start(id, { agent: asker, content: 'go' });
  names = { threadId: id, runId: run.runId, relayId: `${run.runId}/ask`, fileId: 'f' };
  for await (const event of server.log.tail(id)) if (event.type === 'relay') break;
  before = await everything();
});
afterAll(async () => {
  expect(await everything()).toEqual(before);
  await server.close();
});

async function everything() {
  const threads = await server.log.listThreads();
  const runs = server.control.running().map(({ runId }) => runId);
  return { threads, runs, events: await Promise.all(threads.map(({ id }) => server.log.read(id))) };
}

const pathOf = ({ path }: Operation, values: Record<string, string> = names) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'none'));

function expectProblem(answer: Answer, status: number, what: string) {
  expect([what, answer.status]).toEqual([what, status]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.json).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) });
  expect(answer.text).not.toMatch(/\.ts:\d|node_modules|at \w+ \(/);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src/);
}

describe('every endpoint', () => {
  it('refuses a body that is no JSON, of another type, or of wrong types', async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      const { method } = operation;
      const what = `${method} ${operation.path}`;
      const send = (body: string, type = 'application/json') =>
        ask(server.url, pathOf(operation), { method, headers: { ...key, 'content-type': type }, body });
      for (const body of ['{"a":', '', '\u0000', '{"a":1}}', 'undefined']) expectProblem(await send(body), 400, what);
      for (const body of ['[]', 'null', '1', '"text"', 'true', '[{}]']) expectProblem(await send(body), 400, what);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])
        expectProblem(await send('{}', type), 415, what);
    }
  });

  it('refuses fields of wrong types', async () => {
    for (const operation of operations) {
      const wrong = Object.keys(operation.body?.properties ?? {}).map(name => ({ [name]: { no: [1] } }));
      for (const body of wrong) {
        const [name] = Object.keys(body);
        if (name === 'input' || name === 'metadata') continue;
        const answer = await ask(server.url, pathOf(operation), { method: operation.method, headers: key, body });
        expectProblem(answer, 400, `${operation.method} ${operation.path} ${String(name)}`);
      }
    }
  });

  it('refuses a body that is too large', async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      const { method } = operation;
      const headers = { ...key, 'content-type': 'application/json' };
      const body = Buffer.alloc(17 * 1024 * 1024, 32);
      expectProblem(await ask(server.url, pathOf(operation), { method, headers, body }), 413, operation.path);
    }
  });

  it('refuses ids that lead elsewhere', async () => {
    const hostile = [
      '../../etc/passwd',
      '..',
      '%2e%2e/%2e%2e',
      '\u0000',
      'a'.repeat(4000),
      '😀',
      '__proto__',
      "' OR 1=1",
    ];
    for (const operation of operations.filter(({ path }) => path.includes('{')))
      for (const id of hostile) {
        const path = pathOf(operation, {
          threadId: id,
          runId: id,
          relayId: id,
          fileId: id,
          sessionId: id,
          providerId: id,
        });
        // A client resolves dots before it sends: that is a request for another path.
        if (new URL(path, server.url).pathname !== path.split('?')[0]) continue;
        const body = operation.body === undefined ? {} : { body: sample(operation.path) };
        const answer = await ask(server.url, path, { method: operation.method, headers: key, ...body });
        if (operation.path === '/api/chat/{threadId}/stream') expect([404, 204]).toContain(answer.status);
        else if (operation.path === '/api/chat/{threadId}/messages' && answer.status === 200)
          expect(answer.json).toEqual([]);
        else expectProblem(answer, 404, `${operation.method} ${path}`);
      }
  });

  it.each([
    '/api/threads/%ff',
    '/api/threads/%',
    '/api/%2e%2e/%2e%2e/etc/passwd',
    '//api//threads',
    '/api/threads/a%00b',
  ])('answers the address %s with not found', async path =>
    expectProblem(await ask(server.url, path, { headers: key }), 404, path),
  );

  it('refuses who has no token, or a wrong one', async () => {
    for (const operation of operations.filter(({ isOpen }) => !isOpen))
      for (const headers of [{}, { authorization: 'Bearer wrong-token' }, { cookie: 'singletree_access=x' }]) {
        const answer = await ask(server.url, pathOf(operation), { method: operation.method, headers });
        expectProblem(answer, 401, `${operation.method} ${operation.path}`);
      }
  });

  it('refuses another host, and changes from pages of others', async () => {
    for (const { method, ...operation } of operations) {
      const path = pathOf({ method, ...operation });
      expectProblem(await ask(server.url, path, { method, headers: { ...key, host: 'evil.example' } }), 403, path);
      if (method === 'GET') continue;
      for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', 'file://'])
        expectProblem(await ask(server.url, path, { method, headers: { ...key, origin } }), 403, path);
    }
  });
});

/** A body that is valid, so that what is refused is the id. */
function sample(path: string): object {
  if (path.endsWith('/messages') || path.includes('/queue/')) return { content: 'x' };
  if (path.endsWith('/retries')) return { messageId: 'x' };
  if (path.endsWith('/selection')) return { nodeId: 'x' };
  if (path.includes('/relays/')) return { outcome: 'approve' };
  if (path.endsWith('/folder')) return { folder: '/' };
  if (path.includes('/ag-ui/'))
    return { threadId: 'x', runId: 'x', messages: [{ id: 'x', role: 'user', content: 'x' }] };
  return /\/(branches|undo|redo|test|sessions\/.*)$/.test(path) ? {} : { title: 'x' };
}

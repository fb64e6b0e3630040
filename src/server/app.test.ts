import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { steeredMessages } from '../agents/steered-messages.ts';
import { gate, scriptedAgent } from '../../test/support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';

const hold = gate();
const echo = scriptedAgent('echo', async function* ({ event }) {
  yield event('text', { id: 't', content: 'hello' });
});
const patient = scriptedAgent('patient', async function* ({ event, until, params }) {
  yield event('text', { id: 't', content: params.run.model ?? 'no model' });
  await until(hold.opened);
  yield* steeredMessages(params);
});
const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'question', question: 'Which?' });
  const { answer: said } = await answer(id);
  yield event('text', { id: 't', content: `you said ${String(said)}` });
});

const deleted: [string, readonly string[]][] = [];
let server: TestServer;
beforeAll(async () => {
  const onDelete = async (threadId: string, runIds: readonly string[]) => void deleted.push([threadId, runIds]);
  server = await startTestServer([echo, patient, asker], { onFailure: () => {}, onDelete });
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

async function newThread(): Promise<string> {
  return (await call('POST', '/api/threads', {})).body.id as string;
}

async function eventOf(threadId: string, matches: (event: LoggedEvent) => boolean): Promise<LoggedEvent> {
  for await (const event of server.log.tail(threadId)) if (matches(event)) return event;
  throw new Error('the log was closed');
}

describe('threads', () => {
  it('reports to the record keeper which runs go with a deleted thread', async () => {
    const id = await newThread();
    const { body } = await call('POST', `/api/threads/${id}/messages`, { content: 'hi', agent: 'echo' });
    for await (const event of server.log.tail(id)) if (event.type === 'harness_end') break;
    await call('DELETE', `/api/threads/${id}`);
    expect(deleted.at(-1)).toEqual([id, [body['runId']]]);
  });

  it('can be made, listed, read and removed', async () => {
    const made = await call('POST', '/api/threads', { title: 'A title', resourceId: 'mine' });
    expect(made).toMatchObject({ status: 201, body: { title: 'A title', seq: 0, runs: [] } });
    const path = `/api/threads/${String(made.body.id)}`;
    expect(await call('GET', path)).toMatchObject({ status: 200, body: { id: made.body.id } });
    expect((await call('GET', '/api/threads?resourceId=mine&limit=1')).body.threads).toMatchObject([made.body]);
    expect((await call('DELETE', path)).status).toBe(204);
    expect(await call('GET', path)).toMatchObject({ status: 404, body: { code: 'thread_not_found' } });
  });

  it('lists the agents, and reports its health', async () => {
    expect((await call('GET', '/api/agents')).body.agents).toMatchObject([
      { id: 'echo' },
      { id: 'patient' },
      { id: 'asker' },
    ]);
    expect((await call('GET', '/healthz')).body).toEqual({ status: 'ok' });
  });
});

describe('a message', () => {
  it('starts the first agent, and names a thread that has no title', async () => {
    const id = await newThread();
    const sent = await call('POST', `/api/threads/${id}/messages`, { content: `  ${'word '.repeat(40)}` });
    expect(sent).toMatchObject({ status: 202, body: { runId: expect.any(String) } });
    const end = await eventOf(id, event => event.type === 'harness_end');
    expect(end).toMatchObject({ agentId: 'echo', reason: 'complete', runId: sent.body.runId });
    expect((await call('GET', `/api/threads/${id}`)).body.title).toMatch(/^word .*word…$/);
  });

  it('goes into the run that is under way, also when several come at once', async () => {
    const id = await newThread();
    const message = { agent: 'patient', model: 'scripted/two' };
    const sent = await Promise.all(
      ['one', 'two', 'three'].map(content => call('POST', `/api/threads/${id}/messages`, { content, ...message })),
    );
    const { runId } = sent[0]?.body ?? {};
    expect(sent.map(answer => answer.body)).toEqual([{ runId }, { runId, steered: true }, { runId, steered: true }]);
    expect((await call('GET', `/api/threads/${id}`)).body.runs).toEqual([{ runId }]);
    hold.open();
    await eventOf(id, event => event.type === 'harness_end');
    const events = await server.log.read(id);
    expect(events.flatMap(event => (event.type === 'user' ? [event.content] : []))).toEqual(['one', 'two', 'three']);
    expect(events.find(event => event.type === 'text')).toMatchObject({ content: 'scripted/two' });
  });
});

describe('a relay', () => {
  it('takes the first answer and refuses the second', async () => {
    const id = await newThread();
    await call('POST', `/api/threads/${id}/messages`, { content: 'go', agent: 'asker' });
    const relay = await eventOf(id, event => event.type === 'relay');
    const path = `/api/threads/${id}/relays/${encodeURIComponent('id' in relay ? (relay.id as string) : '')}`;
    expect((await call('POST', path, { outcome: 'answer', answer: 'this' })).status).toBe(200);
    expect(await call('POST', path, { outcome: 'answer', answer: 'that' })).toMatchObject({
      status: 409,
      body: { code: 'relay_resolved' },
    });
    expect(await eventOf(id, event => event.type === 'text')).toMatchObject({ content: 'you said this' });
  });

  it('that nobody asked is not found', async () => {
    const answer = await call('POST', `/api/threads/${await newThread()}/relays/none`, { outcome: 'approve' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'relay_not_found' } });
  });
});

describe('abort', () => {
  it('stops a run and answers when its end is in the log', async () => {
    const id = await newThread();
    const { runId } = (await call('POST', `/api/threads/${id}/messages`, { content: 'go', agent: 'asker' })).body;
    await eventOf(id, event => event.type === 'relay');
    expect((await call('POST', `/api/runs/${String(runId)}/abort`)).status).toBe(200);
    expect((await server.log.read(id)).at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
    expect(await call('POST', `/api/runs/${String(runId)}/abort`)).toMatchObject({
      status: 404,
      body: { code: 'run_not_found' },
    });
  });

  it('happens to the runs of a thread that is removed', async () => {
    const id = await newThread();
    await call('POST', `/api/threads/${id}/messages`, { content: 'go', agent: 'asker' });
    await eventOf(id, event => event.type === 'relay');
    expect((await call('DELETE', `/api/threads/${id}`)).status).toBe(204);
    expect(server.control.running().filter(run => run.threadId === id)).toEqual([]);
  });
});

describe('bad input', () => {
  const rows: [method: string, path: string, body: unknown, status: number, detail: RegExp][] = [
    ['POST', '/api/threads', '{"title":', 400, /not JSON/],
    ['POST', '/api/threads', '[]', 400, /expected object/],
    ['POST', '/api/threads', { title: 1 }, 400, /"title": expected string/],
    ['POST', '/api/threads', { titel: 'x' }, 400, /"titel": there is no such field/],
    ['GET', '/api/threads?limit=many', undefined, 400, /"limit": expected a whole number/],
    ['GET', '/api/threads?limit=0', undefined, 400, /"limit"/],
    ['GET', '/api/threads?page=1', undefined, 400, /"page"/],
    ['POST', '/api/threads/:id/messages', {}, 400, /"content"/],
    ['POST', '/api/threads/:id/messages', { content: '' }, 400, /"content"/],
    ['POST', '/api/threads/:id/messages', { content: [{ type: 'video' }] }, 400, /"content"/],
    ['POST', '/api/threads/:id/messages', { content: 'x', extra: { __proto__: 1 } }, 400, /"extra"/],
    ['POST', '/api/threads/:id/messages', { content: 'x', agent: 'nobody' }, 404, /no agent "nobody".*echo, patient/],
    ['POST', '/api/threads/none/messages', { content: 'x' }, 404, /no thread "none"/],
    ['POST', '/api/threads/:id/relays/x', { outcome: 'maybe' }, 400, /"outcome"/],
    ['POST', '/api/threads/:id/relays/x', { outcome: 'answer', answer: 3 }, 400, /"answer"/],
    ['POST', '/api/threads/:id/relays/x', { outcome: 'approve', remember: 'always' }, 400, /"remember"/],
    ['GET', '/api/threads/none/events', undefined, 404, /no thread "none"/],
    ['GET', '/api/threads/:id/events?after=-1', undefined, 400, /"after"/],
    ['GET', '/api/threads/:id/events?after=99', undefined, 400, /ends at seq 0/],
    ['POST', '/api/runs/none/abort', undefined, 404, /"none"/],
    ['DELETE', '/api/threads/none', undefined, 404, /no thread "none"/],
    ['GET', '/api/nothing', undefined, 404, /no GET \/api\/nothing/],
    ['PUT', '/api/threads', {}, 404, /no PUT/],
    ['GET', '/', undefined, 404, /nothing at this address/],
  ];
  it.each(rows)('%s %s %j is refused with %i', async (method, path, body, status, detail) => {
    const answer = await call(method, path.replace(':id', await newThread()), body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: expect.stringMatching(/^urn:singletree:error:/),
      title: expect.any(String),
      status,
      code: expect.any(String),
      detail: expect.stringMatching(detail),
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:|node_modules/);
  });

  it('of another content type is refused: a form of another site can send it', async () => {
    const answer = await call('POST', '/api/threads', '{}', { 'content-type': 'text/plain' });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('that is too large is refused', async () => {
    const answer = await call('POST', '/api/threads', { title: 'x'.repeat(1024 * 1024) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });

  it('too large without a declared length is refused too', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 5; part++) controller.enqueue(new Uint8Array(256 * 1024).fill(32));
        controller.close();
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' };
    expect((await fetch(`${server.url}/api/threads`, init as RequestInit)).status).toBe(413);
  });

  it('that breaks the server says nothing of its inside', async () => {
    const broken = await startTestServer([echo], { onFailure: () => {} });
    broken.log.listThreads = () => Promise.reject(new Error('secret path /root/x'));
    const response = await fetch(`${broken.url}/api/threads`);
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    await broken.close();
  });
});

describe('a request another site caused', () => {
  const { host } = new URL('http://127.0.0.1');
  const send = (headers: Record<string, string>, method: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${server.url}/api/threads`, { method, headers }, response => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? '{}' : undefined);
    });
  const json = { 'content-type': 'application/json' };
  const port = () => new URL(server.url).port;

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example:4141', '0.0.0.0'])(
    'by the name %s is refused',
    async name => expect(await send({ host: name }, 'GET')).toBe(403),
  );

  it.each(['localhost', 'LOCALHOST', '[::1]', host])('by the name %s is answered', async name => {
    expect(await send({ host: `${name}:${port()}` }, 'GET')).toBe(200);
  });

  it.each(['http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1:1'])(
    'from a page of %s cannot change anything',
    async origin => expect(await send({ ...json, origin }, 'POST')).toBe(403),
  );

  it('is distinguished from one of its own page', async () => {
    expect(await send({ ...json, origin: server.url }, 'POST')).toBe(201);
  });
});

describe('every answer', () => {
  it.each(['/healthz', '/api/threads', '/api/nothing'])('of %s has the security headers', async path => {
    const { headers } = await call('GET', path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Supervisor } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { createApp } from '../../src/server/index.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

let hold = gate();
const patient = scriptedAgent('patient', async function* ({ event, until }) {
  yield event('text', { id: 't', content: 'hello' });
  await until(hold.opened);
});

const folder = mkdtempSync(join(tmpdir(), 'singletree-files-'));
const root = join(folder, 'root');
let server: TestServer;
beforeAll(async () => {
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(folder, 'outside.txt'), 'outside');
  writeFileSync(join(root, 'sub', 'a b.txt'), 'inside');
  symlinkSync(join(folder, 'outside.txt'), join(root, 'link.txt'));
  server = await startTestServer([patient], { filesRoot: root });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
const post = (path: string, body: unknown = {}) => ask(server.url, path, { method: 'POST', body });

describe('the OpenAPI document', () => {
  it('has every route of the app, and nothing else', async () => {
    const log = new MemoryLog();
    const app = createApp({ log, control: new Supervisor({ log }), agents: { list: () => [], get: () => undefined } });
    const served = app.routes
      .filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    const { json } = await ask(server.url, '/api/openapi.json');
    const documented = Object.entries(json['paths'] as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method} ${path}`),
    );
    expect(documented.toSorted()).toEqual(served.toSorted());
    expect(json['openapi']).toBe('3.1.0');
    const ids = Object.values(json['paths'] as Record<string, Record<string, { operationId: string }>>).flatMap(each =>
      Object.values(each).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is shown on a page that loads nothing from elsewhere', async () => {
    const page = await ask(server.url, '/api/reference');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<code>/api/threads/{threadId}/branches</code>');
    expect(page.text).not.toMatch(/<script|style=|https?:/);
  });
});

describe('a follow-up', () => {
  it('waits until the run ended, and then starts its own, one after the other', async () => {
    hold = gate();
    const { json } = await post('/api/threads');
    const path = `/api/threads/${String(json['id'])}/messages`;
    const { runId } = (await post(path, { content: 'one' })).json;
    const later = { delivery: 'follow_up' };
    expect((await post(path, { content: 'two', ...later })).json).toEqual({ runId, queued: true });
    expect((await post(path, { content: 'three', ...later })).json).toEqual({ runId, queued: true });
    const shown = await ask(server.url, `/api/threads/${String(json['id'])}`);
    expect([shown.json['runs'], shown.json['metadata']]).toEqual([[{ runId }], {}]);
    hold.open();
    await vi.waitFor(async () => {
      const events = await server.log.read(String(json['id']));
      const others = events.filter(({ type }) => type !== 'message_queued' && type !== 'run_requested');
      expect(others.flatMap(event => (event.type === 'user' ? [event.content] : [event.type]))).toEqual([
        'one',
        'harness_start',
        'text',
        'harness_end',
        'two',
        'harness_start',
        'text',
        'harness_end',
        'three',
        'harness_start',
        'text',
        'harness_end',
      ]);
    });
    await vi.waitFor(async () => {
      const { metadata, open } = (await server.log.getThread(String(json['id']))) ?? {};
      expect([metadata, open]).toEqual([{}, undefined]);
    });
  });

  it('survives the server', async () => {
    hold = gate();
    const log = new MemoryLog();
    log.close = async () => {};
    const first = await startTestServer([patient], { log });
    const { id } = await log.createThread();
    const message = (body: object) => ask(first.url, `/api/threads/${id}/messages`, { method: 'POST', body });
    await message({ content: 'one' });
    await message({ content: 'two', delivery: 'follow_up' });
    await first.close();
    hold.open();
    const second = await startTestServer([patient], { log });
    await second.control.recover();
    await second.resume();
    await vi.waitFor(async () => {
      const users = (await log.read(id)).filter(event => event.type === 'user');
      expect(users.map(event => event.content)).toEqual(['one', 'two']);
    });
    await second.close();
  });

  it('survives an app that is mounted elsewhere', async () => {
    const log = new MemoryLog();
    const echo = scriptedAgent('echo', async function* ({ event }) {
      yield event('text', { id: 't', content: 'hello' });
    });
    const control = new Supervisor({ log, agents: [echo] });
    const { id } = await log.createThread();
    const waits = { delivery: 'follow_up', agent: 'echo', order: 0 } as const;
    await log.append(id, [{ type: 'message_queued', runId: 'q', id: 'm', content: 'waited', ...waits }]);
    const signal = new AbortController();
    const agents = { list: () => [{ id: 'echo', name: 'echo' }], get: () => echo };
    await createApp({ log, control, agents, signal: signal.signal }).resume();
    expect(await log.read(id)).toContainEqual(expect.objectContaining({ type: 'user', content: 'waited' }));
    signal.abort();
    await control.close();
  });
});

describe('a run', () => {
  it('that was cut off by a branch is interrupted there, and goes on where it is', async () => {
    hold = gate();
    const { id } = await server.log.createThread();
    const run = await server.control.start(id, { agent: patient, content: 'go' });
    await vi.waitFor(async () => expect((await server.log.getThread(id))?.seq).toBe(4));
    const branch = (await post(`/api/threads/${id}/branches`)).json;
    const statuses = async (threadId: unknown) => {
      const { json } = await ask(server.url, `/api/threads/${String(threadId)}/runs`);
      return (json['runs'] as { status: string }[]).map(({ status }) => status);
    };
    expect([await statuses(id), await statuses(branch['id'])]).toEqual([['running'], ['interrupted']]);
    expect((await ask(server.url, `/api/chat/${String(branch['id'])}/stream`)).status).toBe(204);
    hold.open();
    await run.done;
    expect(await statuses(id)).toEqual(['complete']);
  });
});

describe('files', () => {
  it('are downloaded from the configured folder and from nowhere else', async () => {
    const { id } = await server.log.createThread();
    const file = (name: string, path: string) => ({ type: 'file_registered' as const, runId: 'r', id: name, path });
    await server.log.append(id, [
      file('good', 'sub/a b.txt'),
      file('absolute', join(root, 'sub', 'a b.txt')),
      file('up', '../outside.txt'),
      file('far', join(folder, 'outside.txt')),
      file('link', 'link.txt'),
      file('folder', 'sub'),
      file('gone', 'none.txt'),
    ]);
    const get = (name: string) => ask(server.url, `/api/threads/${id}/files/${name}`);
    expect((await ask(server.url, `/api/threads/${id}/files`)).json['files']).toHaveLength(7);
    const good = await get('good');
    expect([good.status, good.text, good.headers.get('content-disposition')]).toEqual([
      200,
      'inside',
      "attachment; filename*=UTF-8''a%20b.txt",
    ]);
    expect((await get('absolute')).text).toBe('inside');
    for (const name of ['up', 'far', 'link', 'folder', 'gone', 'nothing', '..%2F..%2Foutside.txt'])
      expect([name, (await get(name)).status]).toEqual([name, 404]);
  });
});

describe('operations', () => {
  it('counts requests, streams, runs and events', async () => {
    const { id } = await server.log.createThread();
    const stream = await fetch(`${server.url}/api/threads/${id}/events`);
    await ask(server.url, `/api/threads/${id}`);
    await ask(server.url, '/api/threads/none');
    const { text, headers } = await ask(server.url, '/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toMatch(
      /singletree_http_requests_total\{method="GET",route="\/api\/threads\/\{threadId\}",status="404"\} \d/,
    );
    expect(text).toContain('singletree_open_streams 1\n');
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\}+[^ ]*)? [\d.e+-]+)$/);
    await stream.body?.cancel();
  });

  it('is ready while the log can be written, and no longer', async () => {
    const log = new MemoryLog();
    const other = await startTestServer([], { log });
    expect((await ask(other.url, '/readyz')).status).toBe(200);
    await log.close();
    expect((await ask(other.url, '/readyz')).json).toMatchObject({ status: 503, code: 'log_closed' });
    await other.close().catch(() => {});
  });

  it('ends streams at shutdown, lets answers end, and leaves runs open', async () => {
    hold = gate();
    const log = new MemoryLog();
    log.close = async () => {};
    const other = await startTestServer([patient], { log });
    const { id } = await log.createThread();
    await ask(other.url, `/api/threads/${id}/messages`, { method: 'POST', body: { content: 'go' } });
    const stream = await fetch(`${other.url}/api/threads/${id}/events`);
    const reading = stream.text();
    await vi.waitFor(async () => expect((await log.getThread(id))?.seq).toBe(4));
    await other.close();
    expect(await reading).toContain('id: 4\n');
    expect((await log.read(id)).map(event => event.type)).toEqual(['user', 'run_requested', 'harness_start', 'text']);
    expect((await log.getThread(id))?.open).toMatchObject([{ kind: 'run' }]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../test/support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';
import { createClient } from './create-client.ts';

const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask me`;
  yield event('relay', { id, relayKind: 'question', question: 'Which?' });
  yield event('text', { id: 't', content: `said ${String((await answer(id)).answer)}` });
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([asker]);
});
afterAll(() => server.close());

describe('the client', () => {
  it('drives a conversation: thread, message, relay, abort, removal', async () => {
    const client = createClient({ baseUrl: server.url });
    expect(await client.listAgents()).toMatchObject([{ id: 'asker' }]);
    const { id } = await client.createThread({ title: 'T', resourceId: 'a b' });
    const { runId } = await client.sendMessage(id, { content: 'hello' });
    const seen: string[] = [];
    for await (const event of client.watch(id)) {
      seen.push(event.type);
      if (event.type === 'relay') await client.answerRelay(id, event.id, { outcome: 'answer', answer: 'this' });
      if (event.type === 'text') expect(event.content).toBe('said this');
      if (event.type === 'harness_end') break;
    }
    expect(seen).toEqual(['user', 'run_requested', 'harness_start', 'relay', 'relay_resolved', 'text', 'harness_end']);
    expect(await client.listThreads({ resourceId: 'a b', limit: 5 })).toMatchObject([{ id, title: 'T' }]);
    await expect(client.abortRun(runId)).rejects.toMatchObject({ code: 'run_not_found' });
    await client.deleteThread(id);
    await expect(client.getThread(id)).rejects.toMatchObject({ code: 'thread_not_found', status: 404 });
  });

  it('sends a message again when its answer is lost, and starts one run', async () => {
    const lost = ['request', 'answer', 'body'];
    const waits: number[] = [];
    const lossy: typeof fetch = async (input, init) => {
      const loss = lost.shift();
      if (loss === 'request') throw new TypeError('fetch failed');
      const response = await fetch(input, init);
      if (loss === 'answer') throw new TypeError('fetch failed');
      return loss === 'body' ? new Response((await response.text()).slice(0, 4), response) : response;
    };
    const client = createClient({ baseUrl: server.url, fetch: lossy, delay: async ms => void waits.push(ms) });
    const { id } = await createClient({ baseUrl: server.url }).createThread();
    const { runId } = await client.sendMessage(id, { content: 'hello' });
    expect([lost.length, waits.length]).toEqual([0, 3]);
    expect((await client.getThread(id)).runs).toEqual([{ runId }]);
    await client.abortRun(runId);
    expect((await server.log.read(id)).filter(({ type }) => type === 'user')).toHaveLength(1);
  });

  it('gives up a message when the server stays away, and does not repeat a refused one', async () => {
    const waits: number[] = [];
    const delay = async (ms: number) => void waits.push(ms);
    const nobody = createClient({ fetch: () => Promise.reject(new TypeError('fetch failed')), delay });
    await expect(nobody.sendMessage('t', { content: 'hello' })).rejects.toMatchObject({ code: 'server_unreachable' });
    expect(waits).toHaveLength(4);
    const client = createClient({ baseUrl: server.url, delay });
    const { id } = await client.createThread();
    await expect(client.sendMessage(id, { content: 'hello', id: 'x'.repeat(201) })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(waits).toHaveLength(4);
  });

  it('starts a run once for a key, however often a step of a workflow is repeated, and waits for its end', async () => {
    const client = createClient({ baseUrl: server.url });
    const key = 'order-17.review';
    const step = async () => {
      const { id } = await client.createThread({ id: key, title: 'Order 17' });
      const { runId } = await client.sendMessage(id, { id: key, content: 'Review it.' });
      return { id, runId, ended: client.waitForRun(id, runId) };
    };
    const [first, second] = await Promise.all([step(), step()]);
    expect([second.id, second.runId]).toEqual([key, first.runId]);
    for await (const event of client.watch(key)) {
      if (event.type !== 'relay') continue;
      await client.answerRelay(key, event.id, { outcome: 'answer', answer: 'this' });
      break;
    }
    expect(await Promise.all([first.ended, second.ended])).toMatchObject([
      { runId: first.runId, status: 'complete' },
      { runId: first.runId, status: 'complete' },
    ]);
    expect(await (await step()).ended).toMatchObject({ runId: first.runId, status: 'complete' });
    expect((await server.log.read(key)).filter(({ type }) => type === 'harness_start')).toHaveLength(1);
  });

  it('stops to wait for a run when the signal aborts', async () => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread();
    const { runId } = await client.sendMessage(id, { content: 'Go.' });
    const stop = new AbortController();
    const ended = client.waitForRun(id, runId, { signal: stop.signal });
    stop.abort();
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    await client.abortRun(runId);
  });

  it('gets no thread of another resource by its id', async () => {
    const guarded = await startTestServer([asker], { tokens: [{ token: 'only-of-acme', resourceId: 'acme' }] });
    const { id } = await guarded.log.createThread({ id: 'of-others', resourceId: 'others' });
    const client = createClient({ baseUrl: guarded.url, token: 'only-of-acme' });
    await expect(client.createThread({ id })).rejects.toMatchObject({ code: 'thread_not_found' });
    expect(await client.createThread({ id: 'of-acme' })).toMatchObject({ id: 'of-acme', resourceId: 'acme' });
    await guarded.close();
  });

  it('stops a run', async () => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread();
    const { runId } = await client.sendMessage(id, { content: 'hello' });
    await client.abortRun(runId);
    expect((await client.getThread(id)).runs).toEqual([]);
  });

  it('reports when the server cannot be reached, and when it is another one', async () => {
    const nobody = createClient({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    await expect(nobody.listThreads()).rejects.toMatchObject({ code: 'server_unreachable' });
    const watched = nobody.watch('t')[Symbol.asyncIterator]();
    await expect(watched.next()).rejects.toMatchObject({ code: 'server_unreachable' });
    const dead = createClient({ baseUrl: 'http://127.0.0.1:9' }).watch('t')[Symbol.asyncIterator]();
    await expect(dead.next()).rejects.toThrow('The server at http://127.0.0.1:9 cannot be reached. Is it running?');
    const other = createClient({ fetch: () => Promise.resolve(new Response('<html>')) });
    await expect(other.listThreads()).rejects.toMatchObject({ code: 'server_unreachable' });
    await expect(other.watch('t')[Symbol.asyncIterator]().next()).rejects.toThrow('is another server');
  });

  it('keeps the code of an error only when it is one of ours', async () => {
    const answer = (code: string, status: number) =>
      createClient({
        fetch: async () => Response.json({ type: '', title: '', code, status, detail: 'because' }, { status }),
      }).listAgents();
    await expect(answer('lease_held', 409)).rejects.toMatchObject({ code: 'lease_held', message: 'because' });
    await expect(answer('newer_code', 422)).rejects.toMatchObject({ code: 'invalid_argument', message: 'because' });
    await expect(answer('toString', 500)).rejects.toMatchObject({ code: 'server_unreachable' });
  });
});

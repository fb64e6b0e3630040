import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '../../test/support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';
import { foldAll } from '../projections/fold.ts';
import { relayBook } from '../projections/relay-book.ts';
import { createClient } from './create-client.ts';
import { createThreadStore } from './thread-store.ts';

const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'question', question: 'Which?' });
  yield event('text', { id: 't', content: `said ${String((await answer(id)).answer)}` });
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([asker]);
});
afterAll(() => server.close());

describe('a thread store', () => {
  it('folds the events, notifies of changes, and gives the same snapshot between them', async () => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread();
    const store = createThreadStore(client, id);
    let changes = 0;
    const leave = store.subscribe(() => changes++);
    expect(store.getSnapshot()).toMatchObject({ seq: 0, pending: [], isConnected: false });
    await client.sendMessage(id, { content: 'hello' });
    await vi.waitFor(() => expect(store.getSnapshot().pending).toHaveLength(1));
    const asked = store.getSnapshot();
    expect(store.getSnapshot()).toBe(asked);
    expect(asked.isConnected).toBe(true);
    await client.answerRelay(id, asked.pending[0]?.id as string, { outcome: 'answer', answer: 'this' });
    await vi.waitFor(() => expect(store.getSnapshot().seq).toBe(7));
    const events = await server.log.read(id);
    expect(store.getSnapshot().pending).toEqual(foldAll(relayBook, events).pending);
    expect(JSON.stringify(store.getSnapshot().nodes)).toContain('said this');
    expect([asked.seq, asked.pending.length]).toEqual([4, 1]);
    await vi.waitFor(() => expect(changes).toBeGreaterThan(0));
    leave();
    store.close();
  });

  it('shows why no more events come', async () => {
    const store = createThreadStore(createClient({ baseUrl: server.url }), 'none');
    await vi.waitFor(() => expect(store.getSnapshot().error).toMatchObject({ code: 'thread_not_found' }));
    store.close();
  });
});

describe('the client', () => {
  it('finds, renames, branches, exports and imports threads, and reads runs, files and usage', async () => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread({ title: 'A first title' });
    await client.changeThread(id, { title: 'Apples and pears' });
    for (const title of ['Pears', 'Plums']) await client.createThread({ title });
    const first = await client.searchThreads({ query: 'PEARS', limit: 1 });
    expect(first.threads.map(({ title }) => title)).toEqual(['Pears']);
    const second = await client.searchThreads({ query: 'PEARS', limit: 1, cursor: first.next as string });
    expect(second).toMatchObject({ threads: [{ id }] });
    expect(second.next).toBeUndefined();
    const { runId } = await client.sendMessage(id, { content: 'go' });
    await vi.waitFor(async () => expect(await client.listRelays()).toMatchObject([{ threadId: id, runId }]));
    expect(await client.listRuns(id)).toMatchObject([{ runId, agentId: 'asker', status: 'waiting' }]);
    await client.abortRun(runId);
    expect(await client.getRun(id, runId)).toMatchObject({ status: 'aborted' });
    expect(await client.listRelays()).toEqual([]);
    const branch = await client.branchThread(id, { seq: 1 });
    expect(branch).toMatchObject({ seq: 1, branchedFrom: { threadId: id, seq: 1 }, title: 'Apples and pears' });
    const lines = await client.exportThread(id);
    const copy = await client.importThread(lines, { title: 'Copy' });
    expect([copy.title, await client.exportThread(copy.id)]).toEqual(['Copy', lines]);
    await expect(client.importThread('{"type":"nonsense"')).rejects.toMatchObject({ code: 'invalid_event' });
    await server.log.appendRaw(id, runId, [
      { n: 1, ts: '2026-01-01T00:00:00Z', stream: 'stdout', line: Buffer.from('{"a":1}\r\n') },
      { n: 2, ts: '2026-01-01T00:00:00Z', stream: 'stderr', line: Buffer.from([0xff, 10]) },
    ]);
    expect(await client.readRawLines(id, runId)).toMatchObject([
      { n: 1, line: '{"a":1}\r\n' },
      { n: 2, stream: 'stderr', base64: '/wo=' },
    ]);
    expect(await client.listFiles(id)).toEqual([]);
    expect(await client.getUsage(id)).toMatchObject({ all: { inputTokens: 0, modelCalls: 0 } });
  });
});

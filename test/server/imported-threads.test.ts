import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { importThread, MemoryLog, type Thread } from '../../src/log/index.ts';
import { isOwnEvent } from '../../src/log/own-events.ts';
import { listRunIds } from '../../src/server/run-standings.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'question', question: 'Which?' });
  yield event('text', { id: 't', content: String((await answer(id)).answer) });
});

const root = mkdtempSync(join(tmpdir(), 'singletree-imported-'));
let server: TestServer;
beforeAll(async () => {
  writeFileSync(join(root, 'secret.txt'), 'secret');
  server = await startTestServer([asker], { filesRoot: root });
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const post = (path: string, body: unknown) => ask(server.url, path, { method: 'POST', body });

async function imported(events: readonly AgentEvent[]): Promise<string> {
  const body = events.map(event => `${JSON.stringify(event)}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { json } = await ask(server.url, '/api/threads/import', { method: 'POST', headers, body });
  return json['id'] as string;
}

async function inbox() {
  const { json } = await ask(server.url, '/api/relays');
  return new Map((json['relays'] as { id: string; threadId: string }[]).map(({ id, threadId }) => [id, threadId]));
}

/** Says something in a thread; returns the relay that its run asks. */
async function askedIn(threadId: string): Promise<string> {
  const { json } = await post(`/api/threads/${threadId}/messages`, { content: 'hi' });
  const relayId = `${String(json['runId'])}/ask`;
  for await (const event of server.log.tail(threadId)) if (event.type === 'relay' && event.id === relayId) break;
  return relayId;
}

const waiting: AgentEvent[] = [
  { type: 'user', runId: 'asked', content: 'Go.' },
  { type: 'harness_start', runId: 'r', agentId: 'asker', parentId: 'asked:user' },
  { type: 'relay', runId: 'r', id: 'r/ask', relayKind: 'question', question: 'Which?' },
];

describe('an imported thread', () => {
  it('shows no relay of its events in the inbox, takes no answer to one, and has no run under way', async () => {
    const id = await imported(waiting);
    const { json: branch } = await post(`/api/threads/${id}/branches`, { seq: waiting.length });
    for (const threadId of [id, String(branch['id'])]) {
      const own = await askedIn(threadId);
      expect(await inbox()).toEqual(new Map([[own, threadId]]));
      const answered = await post(`/api/threads/${threadId}/relays/r%2Fask`, { outcome: 'answer', answer: 'x' });
      expect(answered.status).toBe(404);
      expect((await post('/api/relays/r%2Fask', { outcome: 'answer', answer: 'x' })).status).toBe(404);
      expect((await post(`/api/relays/${encodeURIComponent(own)}`, { outcome: 'answer', answer: 'a' })).status).toBe(
        200,
      );
      await Promise.all(server.control.running().map(run => run.done));
    }
    const { json } = await ask(server.url, `/api/threads/${id}/runs/r`);
    expect(json['status']).toBe('interrupted');
  });

  it('lists the files that its events name, and downloads none of them', async () => {
    const file = { type: 'file_registered', runId: 'r', id: 'f', path: 'secret.txt' } as const;
    const id = await imported([file]);
    expect((await ask(server.url, `/api/threads/${id}/files`)).json['files']).toHaveLength(1);
    expect((await ask(server.url, `/api/threads/${id}/files/f`)).status).toBe(404);
    await server.log.append(id, [file]);
    expect((await ask(server.url, `/api/threads/${id}/files/f`)).text).toBe('secret');
  });
});

describe('the deletion of a thread', () => {
  it('removes the records of runs that began in it, not of those that it imported or shares', async () => {
    const removed: (readonly string[])[] = [];
    const onDelete = async (_: string, runIds: readonly string[]) => void removed.push(runIds);
    const other = await startTestServer([asker], { onDelete });
    const runOf = (runId: string): AgentEvent => ({ type: 'harness_start', runId, agentId: 'asker' });
    const { id } = await importThread(other.log, [JSON.stringify(runOf('imported'))]);
    await other.log.append(id, [runOf('own')]);
    const branch = await other.log.branch(id, 3);
    await other.log.append(branch.id, [runOf('of-branch')]);
    for (const threadId of [branch.id, id]) await ask(other.url, `/api/threads/${threadId}`, { method: 'DELETE' });
    expect(removed).toEqual([['of-branch'], ['own']]);
    await other.close();
  });
});

describe('a thread that was read before an import added more', () => {
  it('has no record of the runs and no folder and file of what came later', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread({ imported: true });
    const read = (await log.getThread(id)) as Thread;
    const start: AgentEvent = { type: 'harness_start', runId: 'r', agentId: 'asker' };
    await log.append(id, [start], { imported: true });
    expect([await listRunIds(log, read), isOwnEvent(read, 1)]).toEqual([[], false]);
    await log.append(id, [{ ...start, runId: 'own' }]);
    const now = (await log.getThread(id)) as Thread;
    expect([await listRunIds(log, now), isOwnEvent(now, 1), isOwnEvent(now, 2)]).toEqual([['own'], false, true]);
  });
});

describe('a branch of a thread in which a relay waits', () => {
  it('does not show it a second time', async () => {
    const { id } = await server.log.createThread();
    const relayId = await askedIn(id);
    const { json: branch } = await post(`/api/threads/${id}/branches`, {});
    const own = await askedIn(String(branch['id']));
    expect(await inbox()).toEqual(
      new Map([
        [relayId, id],
        [own, String(branch['id'])],
      ]),
    );
    for (const run of server.control.running()) await server.control.abort(run.runId);
  });
});

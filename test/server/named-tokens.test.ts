import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { steeredMessages } from '../../src/agents/steered-messages.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const hold = gate();
const echo = scriptedAgent('echo', async function* ({ event }) {
  yield event('text', { id: 't', content: 'hello' });
});
const patient = scriptedAgent('patient', async function* ({ event, until, params }) {
  yield event('text', { id: 't', content: 'waiting' });
  await until(hold.opened);
  yield* steeredMessages(params);
});
const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'permission', toolCallId: 'c', tool: 'write', params: {} });
  await answer(id);
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([echo, patient, asker], {
    tokens: [
      { name: 'ann', token: 'token-of-ann' },
      { name: 'bob', token: 'token-of-bob' },
      { token: 'token-without-name' },
    ],
  });
});
afterAll(() => server.close());

async function post(token: string, path: string, body: unknown = {}): Promise<Record<string, string>> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return (await response.text().then(text => (text.startsWith('{') ? JSON.parse(text) : {}))) as Record<string, string>;
}

async function thread(): Promise<string> {
  return (await server.log.createThread()).id;
}

async function untilEvent(threadId: string, matches: (event: AgentEvent) => boolean): Promise<AgentEvent> {
  for await (const event of server.log.tail(threadId)) if (matches(event)) return event;
  throw new Error('the log was closed');
}

const isEnd = ({ type }: AgentEvent) => type === 'harness_end';

describe('named tokens', () => {
  it('store the name of their owner with a message', async () => {
    const id = await thread();
    await post('token-of-ann', `/api/threads/${id}/messages`, { content: 'hi', agent: 'echo' });
    expect(await untilEvent(id, ({ type }) => type === 'user')).toMatchObject({ content: 'hi', by: 'ann' });
  });

  it('store no name when the token has none', async () => {
    const id = await thread();
    await post('token-without-name', `/api/threads/${id}/messages`, { content: 'hi', agent: 'echo' });
    expect(await untilEvent(id, ({ type }) => type === 'user')).not.toHaveProperty('by');
  });

  it('store the author of an edit, of a steering message and of a follow-up', async () => {
    const id = await thread();
    await post('token-of-ann', `/api/threads/${id}/messages`, { content: 'first', agent: 'echo' });
    await untilEvent(id, isEnd);
    const first = (await server.log.read(id)).find(({ type }) => type === 'user');
    const edits = `${first?.runId}:user`;
    await post('token-of-bob', `/api/threads/${id}/messages`, { content: 'better', agent: 'patient', edits });
    await post('token-of-ann', `/api/threads/${id}/messages`, { content: 'quick', agent: 'patient' });
    const queued = { content: 'then', agent: 'echo', delivery: 'follow_up' };
    expect(await post('token-of-bob', `/api/threads/${id}/messages`, queued)).toMatchObject({ queued: true });
    hold.open();
    await untilEvent(id, event => event.type === 'user' && event.content === 'then');
    const said = (await server.log.read(id)).flatMap(event =>
      event.type === 'user' ? [[event.content, event.by]] : [],
    );
    expect(said).toEqual([
      ['first', 'ann'],
      ['better', 'bob'],
      ['quick', 'ann'],
      ['then', 'bob'],
    ]);
  });

  it.each(['by thread', 'by relay id'])('store the author of an answer that names its relay %s', async way => {
    const id = await thread();
    await post('token-of-ann', `/api/threads/${id}/messages`, { content: 'ask', agent: 'asker' });
    const relay = await untilEvent(id, ({ type }) => type === 'relay');
    const relayId = encodeURIComponent(relay.type === 'relay' ? relay.id : '');
    const path = way === 'by thread' ? `/api/threads/${id}/relays/${relayId}` : `/api/relays/${relayId}`;
    await post('token-of-bob', path, { outcome: 'approve' });
    expect(await untilEvent(id, ({ type }) => type === 'relay_resolved')).toMatchObject({ by: 'bob' });
  });

  it('store who stopped a run', async () => {
    const id = await thread();
    const { runId } = await post('token-of-ann', `/api/threads/${id}/messages`, { content: 'ask', agent: 'asker' });
    await untilEvent(id, ({ type }) => type === 'relay');
    await post('token-of-bob', `/api/runs/${runId}/abort`);
    expect(await untilEvent(id, ({ type }) => type === 'abort_requested')).toMatchObject({ runId, by: 'bob' });
  });

  it('store the author of chat messages and approvals', async () => {
    const id = await thread();
    const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] };
    await post('token-of-bob', '/api/chat', { id, messages: [message], agent: 'asker' });
    expect(await untilEvent(id, ({ type }) => type === 'user')).toMatchObject({ by: 'bob' });
    const relay = await untilEvent(id, ({ type }) => type === 'relay');
    const approval = { id: relay.type === 'relay' ? relay.id : '', approved: true };
    const answered = { id: 'a', role: 'assistant', parts: [{ type: 'tool-write', approval }] };
    await post('token-of-ann', '/api/chat', { id, messages: [message, answered] });
    expect(await untilEvent(id, ({ type }) => type === 'relay_resolved')).toMatchObject({ by: 'ann' });
  });

  it('refuse a name in the body of a message', async () => {
    const id = await thread();
    const response = await fetch(`${server.url}/api/threads/${id}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token-of-ann' },
      body: JSON.stringify({ content: 'hi', agent: 'echo', by: 'bob' }),
    });
    expect(response.status).toBe(400);
  });
});

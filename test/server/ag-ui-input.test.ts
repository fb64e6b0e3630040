import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/events/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';

const echo = scriptedAgent('echo', async function* ({ event, params }) {
  const last = params.conversation.messages.at(-1);
  yield event('text', { id: 't', content: JSON.stringify(last?.content).slice(0, 200) });
});
const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/q`;
  yield event('relay', { id, relayKind: 'question', question: 'Which one?' });
  const given = await answer(id);
  yield event('text', { id: 't', content: `Chosen: ${String(given.answer ?? given.outcome)}` });
});
const ada = { authorization: 'Bearer ada-token' };
const eve = { authorization: 'Bearer eve-token' };

let server: TestServer;
beforeAll(async () => {
  const tokens = [
    { token: 'ada-token', name: 'ada', resourceId: 'ada' },
    { token: 'eve-token', name: 'eve', resourceId: 'eve' },
  ];
  server = await startTestServer([echo, asker], { tokens });
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The body as JSON; empty when it is a stream. */
  readonly json: Readonly<Record<string, unknown>>;
}

async function request(path: string, init: RequestInit = { headers: ada }): Promise<Answer> {
  const response = await fetch(`${server.url}/api${path}`, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, text, json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

const post = (path: string, body: unknown, headers = ada) =>
  request(`/ag-ui/agent/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const input = (fields: Readonly<Record<string, unknown>> = {}) => ({
  threadId: newId(),
  runId: 'r1',
  messages: [{ id: 'u1', role: 'user', content: 'hello' }],
  tools: [],
  context: [],
  forwardedProps: {},
  state: {},
  ...fields,
});
interface Wire {
  readonly type: string;
  readonly [field: string]: unknown;
}
const eventsIn = ({ text }: Answer) =>
  text.split('\n').flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Wire] : []));
const interruptIn = (answer: Answer) => {
  const { outcome } = eventsIn(answer).at(-1) as unknown as { outcome: { interrupts: [{ id: string }] } };
  return outcome.interrupts[0].id;
};

describe('what AG-UI clients send', () => {
  it('begins a thread of the token, and lists the agents', async () => {
    const { threadId, ...rest } = input();
    const answer = await post('echo/run', { threadId, ...rest });
    expect(eventsIn(answer).map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'STATE_DELTA',
      'RUN_FINISHED',
    ]);
    expect(eventsIn(answer)[0]).toEqual({ type: 'RUN_STARTED', threadId, runId: 'r1' });
    expect(await server.log.getThread(threadId)).toMatchObject({ resourceId: 'ada', title: 'hello' });
    const info = await request('/ag-ui/info');
    expect(info.json).toMatchObject({ agents: { echo: { name: 'echo', description: '' }, asker: {} } });
  });

  it.each([
    ['no thread', { threadId: '' }, 400, 'invalid_argument'],
    ['no run', { runId: undefined }, 400, 'invalid_argument'],
    ['no messages', { messages: [] }, 400, 'invalid_argument'],
    [
      'a last message of the assistant',
      { messages: [{ id: 'a', role: 'assistant', content: 'x' }] },
      400,
      'invalid_argument',
    ],
    ['an empty message', { messages: [{ id: 'u', role: 'user', content: '' }] }, 400, 'invalid_argument'],
    ['an unknown role', { messages: [{ id: 'u', role: 'root', content: 'x' }] }, 400, 'invalid_argument'],
    ['content that is a number', { messages: [{ id: 'u', role: 'user', content: 7 }] }, 400, 'invalid_argument'],
    [
      'a file without bytes',
      { messages: [{ id: 'u', role: 'user', content: [{ type: 'binary', mimeType: 'image/png' }] }] },
      400,
      'invalid_argument',
    ],
    ['tools of the page', { tools: [{ name: 'paint', description: '', parameters: {} }] }, 501, 'not_supported'],
    ['context of the page', { context: [{ description: 'a', value: 'b' }] }, 501, 'not_supported'],
    [
      'an answer to a thread that is unknown',
      { resume: [{ interruptId: 'x@1', status: 'resolved' }] },
      404,
      'thread_not_found',
    ],
  ])('is refused with %s, and makes no thread', async (_, fields, status, code) => {
    const body = input(fields);
    const answer = await post('echo/run', body);
    expect([answer.status, answer.json['code']]).toEqual([status, code]);
    if (body.threadId !== '' && code !== 'invalid_argument')
      expect(await server.log.getThread(body.threadId)).toBeUndefined();
  });

  it('is refused for an agent that is unknown, and without a token', async () => {
    for (const path of ['nobody/run', 'nobody/connect']) {
      const answer = await post(path, input());
      expect([answer.status, answer.json['code']]).toEqual([404, 'agent_not_found']);
    }
    const answer = await post('echo/run', input(), { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(401);
  });

  it('reaches no thread of somebody else', async () => {
    const body = input();
    await post('asker/run', body);
    const interrupt = interruptIn(await post('asker/connect', body));
    expect((await post('asker/run', body, eve)).json['code']).toBe('thread_not_found');
    const resume = [{ interruptId: interrupt, status: 'resolved', payload: 'red' }];
    expect((await post('asker/run', { ...body, resume }, eve)).json['code']).toBe('thread_not_found');
    const connected = await post('asker/connect', body, eve);
    expect(eventsIn(connected).map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    const stopped = await post(`asker/stop/${body.threadId}`, undefined, eve);
    expect(stopped.json['code']).toBe('thread_not_found');
    const answered = await post('asker/run', { ...body, resume });
    expect(answered.text).toContain('Chosen: red');
    expect((await server.log.read(body.threadId)).find(({ type }) => type === 'relay_resolved')).toMatchObject({
      by: 'ada',
    });
  });

  it('is refused with answers that fit nothing, and the question stays open', async () => {
    const body = input();
    const interrupt = interruptIn(await post('asker/run', body));
    const refuse = async (entry: Readonly<Record<string, unknown>>) => {
      const answer = await post('asker/run', { ...body, resume: [{ status: 'resolved', ...entry }] });
      return [answer.status, answer.json['code']];
    };
    expect(await refuse({ interruptId: 'other' })).toEqual([400, 'invalid_argument']);
    expect(await refuse({ interruptId: 'other@1' })).toEqual([404, 'relay_not_found']);
    expect(await refuse({ interruptId: interrupt.replace(/@.*/, '@99999') })).toEqual([404, 'relay_not_found']);
    expect(await refuse({ interruptId: interrupt, payload: { approved: true } })).toEqual([400, 'invalid_argument']);
    expect(await refuse({ interruptId: interrupt, status: 'maybe' })).toEqual([400, 'invalid_argument']);
    const waiting = await request(`/relays?threadId=${body.threadId}`);
    expect(waiting.json['relays']).toHaveLength(1);
    const answered = await post('asker/run', {
      ...body,
      resume: [{ interruptId: interrupt, status: 'resolved', payload: 'red' }],
    });
    expect(answered.text).toContain('Chosen: red');
  });

  it('may be large, up to 16 MiB', async () => {
    const large = (size: number) => input({ messages: [{ id: 'u', role: 'user', content: 'x'.repeat(size) }] });
    expect((await post('echo/run', large(2 * 1024 * 1024))).text).toContain('RUN_FINISHED');
    expect((await post('echo/run', large(17 * 1024 * 1024))).json['code']).toBe('body_too_large');
  });

  it('may be pictures and documents', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
      { type: 'document', source: { type: 'url', value: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
      { type: 'binary', mimeType: 'text/plain', data: 'aGk=', filename: 'a.txt' },
    ];
    const body = input({ messages: [{ id: 'u', role: 'user', content }] });
    await post('echo/run', body);
    expect((await server.log.read(body.threadId)).find(({ type }) => type === 'user')).toMatchObject({
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        { type: 'file', data: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
        { type: 'file', data: 'aGk=', mediaType: 'text/plain', filename: 'a.txt' },
      ],
    });
    const connected = eventsIn(await post('echo/connect', { ...body, messages: [] }));
    expect(connected.find(({ type }) => type === 'MESSAGES_SNAPSHOT')).toMatchObject({
      messages: [
        {
          id: 'u',
          role: 'user',
          content: [{ type: 'text' }, { type: 'image' }, { type: 'document' }, { type: 'document' }],
        },
        { role: 'assistant' },
      ],
    });
  });
});

import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agUiEncoder, aiSdkEncoder, encodeAll, type Encoder, flowEncoder } from '../../src/protocols/index.ts';
import { examples } from '../support/request-examples.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

interface Frame {
  readonly id: string | undefined;
  readonly data: string;
}

const hold = gate();
const patient = scriptedAgent('patient', async function* ({ event, until }) {
  yield event('step_start', { step: 0 });
  yield event('text', { id: 't', content: 'one ' });
  await until(hold.opened);
  yield event('text', { id: 't', content: 'two' });
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([patient]);
});
afterAll(() => server.close());

/** The frames of a stream until it ends, or until there are so many. */
async function read(threadId: string, query: string, lastId?: string, most = Number.POSITIVE_INFINITY) {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const gone = new AbortController();
  const response = await fetch(`${server.url}/api/threads/${threadId}/events?${query}`, {
    headers,
    signal: gone.signal,
  });
  const frames: Frame[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => frames.push({ id, data }) });
  if (response.body !== null && most > 0)
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      parser.feed(chunk);
      if (frames.length >= most) break;
    }
  gone.abort();
  return { status: response.status, frames };
}

const queries = [
  'protocol=flow',
  'protocol=ai-sdk&version=5',
  'protocol=ai-sdk&version=6',
  'protocol=ai-sdk',
  'protocol=ag-ui&version=0.0',
  'protocol=ag-ui',
];

/** The encoder that the server uses for a query. */
function encoderFor(query: string, threadId: string): Encoder<unknown> {
  const version = /version=([\d.]+)/.exec(query)?.[1];
  if (query.includes('flow')) return flowEncoder({ threadId, resourceId: 'default' });
  if (query.includes('ag-ui')) return agUiEncoder({ threadId, version: version === '0.0' ? '0.0' : '1.0' });
  return aiSdkEncoder({ threadId, version: Number(version ?? 7) as 7 });
}

describe.each(queries)('a stream with %s', query => {
  it.each(Object.keys(examples) as (keyof typeof examples)[])(
    'of "%s" goes on after any of its frames, without gap or duplicate',
    async name => {
      const { id } = await server.log.createThread();
      await server.log.append(id, [{ type: 'user', runId: 'u', content: 'before' }, ...examples[name]]);
      const whole = await read(id, query);
      const logged = await server.log.read(id);
      const chunks = encodeAll(encoderFor(query, id), logged).map(chunk => JSON.stringify(chunk));
      const last = query.includes('ai-sdk') ? ['[DONE]'] : [];
      expect(whole.frames.map(({ data }) => data)).toEqual([...chunks, ...last]);
      for (const [index, { id: frameId }] of whole.frames.entries()) {
        if (frameId === undefined) continue;
        const rest = await read(id, query, frameId);
        const expected = whole.frames.slice(index + 1);
        // The end of the request is one event: who has it all has nothing to come back for.
        if (rest.status === 204) expect(expected.filter(frame => frame.id !== undefined)).toEqual([]);
        else expect(rest.frames).toEqual(expected);
      }
    },
  );
});

describe('a stream of a request', () => {
  it('is live, of the newest request or the one that is named, and ends with it', async () => {
    const { id } = await server.log.createThread();
    const first = read(id, 'protocol=flow');
    const run = await server.control.start(id, { agent: patient, content: 'go' });
    const early = await read(id, 'protocol=flow', undefined, 2);
    expect(early.frames.map(({ data }) => JSON.parse(data).type)).toEqual(['step-start', 'text']);
    hold.open();
    const types = (await first).frames.map(({ data }) => JSON.parse(data).type);
    expect(types).toEqual(['step-start', 'text', 'text', 'finish', 'data-cost-summary', 'data-latency-summary']);
    await run.done;
    const rest = await read(id, 'protocol=flow', early.frames.at(-1)?.id);
    expect(rest.frames.map(({ data }) => JSON.parse(data).type)).toEqual(types.slice(2));
    const second = await server.control.start(id, { agent: patient, content: 'again' });
    await second.done;
    const named = await read(id, `protocol=ai-sdk&runId=${run.runId}`);
    const newest = await read(id, 'protocol=ai-sdk');
    const idOf = ({ frames }: { frames: Frame[] }) => JSON.parse(frames[0]?.data ?? '').messageId;
    expect([idOf(named), idOf(newest)]).toEqual([run.runId, second.runId]);
    const unknown = await read(id, 'protocol=flow&runId=none');
    expect(unknown.status).toBe(404);
  });

  it('shows the activity of the whole thread, from wherever a reader is', async () => {
    const { id } = await server.log.createThread();
    await server.log.append(id, examples['a tool with progress']);
    const whole = await read(id, 'protocol=activity', undefined, 2);
    expect(whole.frames.map(({ data }) => JSON.parse(data).type)).toEqual(['read', 'agent']);
    const rest = await read(id, 'protocol=activity', whole.frames[0]?.id, 1);
    expect(rest.frames).toEqual(whole.frames.slice(1));
  });
});

describe('a stream with protocol=activity', () => {
  it('shows the record of a tool that is not understood, also of a subagent', async () => {
    const { id } = await server.log.createThread();
    const record = { type: 'item.completed', item: { id: 't', type: 'mcp_tool_call', status: 'failed' } };
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    await server.log.appendRaw(id, 'r', [{ n: 1, ts: '2026-01-01T00:00:00.000Z', stream: 'stdout', line }]);
    const call = (runId: string) => [
      { type: 'tool_call' as const, runId, id: `${runId}/t`, name: 'x', input: {}, line: 1 },
      { type: 'tool_result' as const, runId, id: `${runId}/t`, name: 'x', output: { error: 'no' }, line: 1 },
    ];
    await server.log.append(id, [
      { type: 'harness_start', runId: 'r', agentId: 'codex' },
      ...call('r'),
      ...call('r/a/run'),
    ]);
    const { frames } = await read(id, 'protocol=activity', undefined, 2);
    expect(frames.map(({ data }) => JSON.parse(data) as unknown)).toMatchObject([
      { type: 'unknown', raw: record },
      { type: 'unknown', raw: record },
    ]);
  });
});

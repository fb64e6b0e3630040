import { readFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { ndjsonFraming } from '../../src/protocols/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { wordCount } from '../support/word-count-protocol.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const said = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 't', content });

let server: TestServer;
let threadId: string;
beforeAll(async () => {
  const request = { ...wordCount, covers: 'request', framing: ndjsonFraming, versions: ['1', '2'] } as const;
  server = await startTestServer([], { protocols: { 'word-count': wordCount, 'word-lines': request } });
  threadId = (await server.log.createThread()).id;
  await server.log.append(threadId, [
    { type: 'harness_start', runId: 'r', agentId: 'a' },
    said('one two'),
    said(' three'),
    { type: 'custom', runId: 'r', name: 'note', data: 0 },
    said(' four five'),
    { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
  ]);
});
afterAll(() => server.close());

const address = (query: string) => `${server.url}/api/threads/${threadId}/events?${query}`;

/** The ids and data of so many frames, and the content type. */
async function frames(count: number, headers: Record<string, string> = {}) {
  const gone = new AbortController();
  const response = await fetch(address('protocol=word-count'), { headers, signal: gone.signal });
  const seen: [string | undefined, unknown][] = [];
  const parser = createParser({ onEvent: ({ id, data }) => seen.push([id, JSON.parse(data)]) });
  if (response.body !== null)
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      parser.feed(text);
      if (seen.length >= count) break;
    }
  gone.abort();
  return { type: response.headers.get('content-type'), seen };
}

describe('a protocol that is added to a server', () => {
  it('is the one of the guide', () => {
    const code = read('../support/word-count-protocol.ts').replace(
      '../../src/protocols/index.ts',
      'singletree/protocols',
    );
    expect(read('../../docs/guides/add-a-protocol.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
  });

  it('is read over HTTP, and resumes after any frame', async () => {
    const { type, seen } = await frames(3);
    expect(type).toBe('text/event-stream; charset=utf-8');
    expect(seen).toEqual([
      ['2', { words: 2 }],
      ['3', { words: 3 }],
      ['5', { words: 5 }],
    ]);
    for (const [index, [id = '']] of seen.slice(0, -1).entries())
      expect((await frames(2 - index, { 'last-event-id': id })).seen).toEqual(seen.slice(index + 1));
  });

  it('has the framing, the content type and the versions it declares', async () => {
    const response = await fetch(address('protocol=word-lines&version=1'));
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect((await response.text()).trim()).toBe('{"words":2}\n{"words":3}\n{"words":5}');
    const refused = await fetch(address('protocol=word-lines&version=3'));
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      400,
      'The protocol "word-lines" has no version "3". Expected one of 1, 2.',
    ]);
  });

  it('stands in the OpenAPI document with its name and its content type', async () => {
    const openApi = JSON.stringify(await (await fetch(`${server.url}/api/openapi.json`)).json());
    expect(openApi).toContain('"enum":["events","flow","ai-sdk","activity","ag-ui","word-count","word-lines"]');
    expect(openApi).toContain('`word-count`: how many words agents have written');
    expect(openApi).toContain('`word-lines` has 1, 2');
    expect(openApi).toMatch(/"text\/event-stream":\{[^{}]*\{[^{}]*\}\},"application\/x-ndjson"/);
  });

  it('cannot take the name of a built-in one', async () => {
    const protocols = { flow: wordCount };
    await expect(startTestServer([], { protocols })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

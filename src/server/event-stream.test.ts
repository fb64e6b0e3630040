import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';
import { type AgentEvent, SingletreeError } from '../events/index.ts';
import { eventStream } from './event-stream.ts';

const notes = (from: number, to: number): AgentEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    type: 'custom',
    runId: 'r',
    name: 'note',
    data: from + index,
  }));

let server: TestServer;
let threadId: string;
beforeEach(async () => {
  server = await startTestServer([], { keepAliveMs: 20 });
  threadId = (await server.log.createThread()).id;
});
afterEach(() => server.close());

/** Reads a stream until it has so many events, then goes away. */
async function take(count: number, query = '', headers: Record<string, string> = {}): Promise<EventSourceMessage[]> {
  const gone = new AbortController();
  const url = `${server.url}/api/threads/${threadId}/events${query}`;
  const response = await fetch(url, { headers, signal: gone.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: message => messages.push(message) });
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk);
    if (messages.length >= count) break;
  }
  gone.abort();
  return messages;
}

const seqs = (messages: EventSourceMessage[]) => messages.map(message => Number(message.id));

describe('the event stream', () => {
  it('gives what is in the log, then what comes, each with its seq', async () => {
    await server.log.append(threadId, notes(1, 3));
    const reading = take(5);
    await server.log.append(threadId, notes(4, 5));
    const messages = await reading;
    expect(seqs(messages)).toEqual([1, 2, 3, 4, 5]);
    expect(JSON.parse(messages[4]?.data ?? '')).toEqual((await server.log.read(threadId, { after: 4 }))[0]);
  });

  it('goes on after the seq a reader names, in the address or, which counts more, in the header', async () => {
    await server.log.append(threadId, notes(1, 6));
    expect(seqs(await take(2, '?after=4'))).toEqual([5, 6]);
    expect(seqs(await take(3, '', { 'last-event-id': '3' }))).toEqual([4, 5, 6]);
    expect(seqs(await take(1, '?after=1', { 'last-event-id': '5' }))).toEqual([6]);
  });

  it('has no gap and no duplicate for readers that come and go while events are appended', async () => {
    const total = 600;
    const writing = (async () => {
      for (let at = 1; at <= total; at += 3) await server.log.append(threadId, notes(at, at + 2));
    })();
    const read: number[] = [];
    while (read.length < total) {
      const part = seqs(await take(Math.min(37, total - read.length), '', { 'last-event-id': String(read.length) }));
      read.push(...part);
    }
    await writing;
    expect(read).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });

  it.each(['x', '-1', '1.5', '1e3'])('refuses the Last-Event-ID %s', async value => {
    const url = `${server.url}/api/threads/${threadId}/events`;
    const response = await fetch(url, { headers: { 'last-event-id': value } });
    expect(await response.json()).toMatchObject({ status: 400, detail: expect.stringContaining('Last-Event-ID') });
  });

  it('sends a comment when nothing happens', async () => {
    const gone = new AbortController();
    const response = await fetch(`${server.url}/api/threads/${threadId}/events`, { signal: gone.signal });
    let text = '';
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('keep-alive')) break;
    }
    gone.abort();
    expect(text).toMatch(/^: open\n\n(: keep-alive\n\n)+$/);
  });

  it('lets go of the log when the reader goes away', async () => {
    let tail: AbortSignal | undefined;
    const original = server.log.tail.bind(server.log);
    server.log.tail = (id, after, options) => {
      tail = options?.signal;
      return original(id, after, options);
    };
    await server.log.append(threadId, notes(1, 1));
    await take(1);
    await vi.waitFor(() => expect(tail?.aborted).toBe(true));
  });

  it('ends with the server', async () => {
    const response = await fetch(`${server.url}/api/threads/${threadId}/events`);
    const reading = response.text().catch(() => 'cut off');
    await server.close();
    expect(await reading).toMatch(/^: open|cut off/);
  });

  it('tells in its last frame why it cannot go on', async () => {
    const response = await fetch(`${server.url}/api/threads/${threadId}/events`);
    await server.log.deleteThread(threadId);
    const [, data] = (await response.text()).match(/event: error\ndata: (.*)\n\n$/) ?? [];
    expect(JSON.parse(data ?? '')).toMatchObject({ status: 404, code: 'thread_not_found' });
  });

  it('takes an event only when the reader has room', async () => {
    let taken = 0;
    async function* events() {
      for (const event of notes(1, 1000)) yield { ...event, seq: ++taken, ts: '2026-01-01T00:00:00Z' };
      throw new SingletreeError('log_closed', 'closed');
    }
    const stream = eventStream({ events, signal: new AbortController().signal, keepAliveMs: 1000 });
    const reader = stream.getReader();
    for (let count = 0; count < 4; count++) await reader.read();
    expect(taken).toBeLessThan(10);
    await reader.cancel();
  });
});

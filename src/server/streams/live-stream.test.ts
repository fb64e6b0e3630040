import { setTimeout } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/support/test-server.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventText } from '../security/redacted-texts.ts';
import type { EventLog } from '../../log/event-log.ts';
import { createRedactor } from '../../agents/redaction/redactor.ts';
import { sseFraming } from '../../protocols/framing.ts';
import { webBody } from './byte-sink.ts';
import { KeepAlive } from './keep-alive.ts';
import { liveStream } from './live-stream.ts';
import { ThreadFeeds } from './thread-feed.ts';

const notes = (from: number, to: number): AgentEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    type: 'custom',
    runId: 'r',
    name: 'note',
    data: from + index,
  }));

let server: TestServer;
let threadId: string;
let feeds: ThreadFeeds | undefined;
let tails: MockInstance;
let sent: number;
beforeEach(async () => {
  server = await startTestServer([], { keepAliveMs: 20 });
  tails = vi.spyOn(server.log, 'tail');
  feeds = undefined;
  sent = 0;
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

/** A stream of the thread without a server around it. */
function open(log: EventLog, encode = encodeText): ReadableStream<Uint8Array> {
  feeds ??= new ThreadFeeds({ log, encode, redactor });
  const { signal } = new AbortController();
  const keepAlive = new KeepAlive(60_000);
  const options = {
    log,
    encode,
    framing: sseFraming,
    redactor,
    feeds,
    keepAlive,
    signal,
    bufferBytes: 8000,
    onSent: (count: number) => void (sent += count),
  };
  return webBody(liveStream(options, { threadId, after: 0 }));
}
/** The ids of the frames that come until that one. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, last: number): Promise<number[]> {
  const ids: number[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    for (const [, id] of new TextDecoder().decode(next.value).matchAll(/^id: (\d+)$/gm)) ids.push(Number(id));
    if (ids.at(-1) === last) break;
  }
  return ids;
}
const redactor = createRedactor([]);
const encodeText = ({ seq, text }: EventText) => new TextEncoder().encode(sseFraming.frame(text, seq));

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

  it('detaches from the log when the reader leaves', async () => {
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

  it('reports in its last frame why it cannot go on', async () => {
    const response = await fetch(`${server.url}/api/threads/${threadId}/events`);
    await server.log.deleteThread(threadId);
    const [, data] = (await response.text()).match(/event: error\ndata: (.*)\n\n$/) ?? [];
    expect(JSON.parse(data ?? '')).toMatchObject({ status: 404, code: 'thread_not_found' });
  });

  it('reads a long history only as fast as the reader takes it', async () => {
    const { log } = server;
    await log.append(threadId, notes(1, 5000));
    const read = vi.spyOn(log, 'readTexts');
    const reader = open(log).getReader();
    for (let count = 0; count < 4; count++) await reader.read();
    expect(read.mock.calls.length).toBeLessThan(6);
    await reader.cancel();
  });

  it('ends a reader that lets too much wait, and reports that', async () => {
    const { log } = server;
    const reader = open(log).getReader();
    await reader.read();
    await vi.waitFor(() => expect(tails).toHaveBeenCalled());
    for (let at = 1; at < 400; at += 10) {
      await log.append(threadId, notes(at, at + 9));
      await setTimeout(1);
    }
    let text = '';
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += new TextDecoder().decode(next.value);
    const [, data] = text.match(/event: error\ndata: (.*)\n\n$/) ?? [];
    expect(JSON.parse(data ?? '')).toMatchObject({ status: 503, code: 'slow_reader' });
    const seen = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(seen.length).toBeGreaterThan(50);
    expect(seen.length).toBeLessThan(300);
  });

  it('is never too slow for what was there before, however large it is', async () => {
    const { log } = server;
    const large: AgentEvent = { type: 'custom', runId: 'r', name: 'note', data: 'x'.repeat(5000) };
    for (let count = 0; count < 50; count++) await log.append(threadId, [large]);
    const reader = open(log).getReader();
    const seen: string[] = [];
    while (seen.length < 51)
      seen.push(
        new TextDecoder()
          .decode((await reader.read()).value)
          .slice(0, 6)
          .trim(),
      );
    expect(seen).toEqual([': open', ...Array.from({ length: 50 }, (_, index) => `id: ${index + 1}`)]);
    await reader.cancel();
  });

  it('reads on when more comes between its last page and the feed than the feed keeps', async () => {
    const { log } = server;
    const ahead = open(log).getReader();
    await ahead.read();
    await vi.waitFor(() => expect(tails).toHaveBeenCalled());
    vi.spyOn(log, 'readTexts').mockImplementationOnce(async () => {
      for (let at = 1; at <= 300; at += 10) {
        await log.append(threadId, notes(at, at + 9));
        await readUntil(ahead, at + 9);
      }
      return [];
    });
    const late = open(log).getReader();
    expect(await readUntil(late, 300)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    await ahead.cancel();
    await late.cancel();
  });

  it('makes the bytes of an event once for all its readers', async () => {
    const encode = vi.fn(({ seq }: EventText) => new TextEncoder().encode(`id: ${seq}\ndata: {}\n\n`));
    const readers = Array.from({ length: 5 }, () => open(server.log, encode).getReader());
    for (const reader of readers) await reader.read();
    await vi.waitFor(() => expect(tails).toHaveBeenCalledTimes(1));
    await server.log.append(threadId, notes(1, 3));
    for (const reader of readers) expect(await readUntil(reader, 3)).toEqual([1, 2, 3]);
    expect(encode).toHaveBeenCalledTimes(3);
    for (const reader of readers) await reader.cancel();
  });
});

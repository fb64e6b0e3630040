import { connect, createServer, type Server, type Socket, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';
import type { AgentEvent, LoggedEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { backoffMs } from './backoff.ts';
import { createClient } from './create-client.ts';
import { type WatchOptions, watchEvents } from './watch.ts';

const notes = (from: number, to: number): AgentEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    type: 'custom',
    runId: 'r',
    name: 'note',
    data: from + index,
  }));
const logged = (seq: number): LoggedEvent => ({
  ...(notes(seq, seq)[0] as AgentEvent),
  seq,
  ts: '2026-01-01T00:00:00Z',
});
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A wire to the server that can be cut after so many bytes. */
class Wire {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  cutAfter = Number.POSITIVE_INFINITY;
  connections = 0;

  constructor(port: number) {
    this.#server = createServer(socket => {
      this.connections++;
      const onward = connect(port, '127.0.0.1');
      let passed = 0;
      for (const each of [socket, onward]) {
        this.#sockets.add(each);
        each.on('error', () => {});
        each.on('close', () => {
          socket.destroy();
          onward.destroy();
        });
      }
      socket.pipe(onward);
      onward.on('data', (chunk: Buffer) => {
        const room = this.cutAfter - passed;
        passed += chunk.length;
        socket.write(chunk.subarray(0, Math.max(0, Math.min(chunk.length, room))), () => {
          if (passed >= this.cutAfter) socket.destroy();
        });
      });
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

describe('watching a thread', () => {
  let server: TestServer;
  let threadId: string;
  let wire: Wire;
  let baseUrl: string;
  beforeEach(async () => {
    server = await startTestServer([]);
    threadId = (await server.log.createThread()).id;
    wire = new Wire(Number(new URL(server.url).port));
    baseUrl = await wire.open();
  });
  afterEach(async () => {
    wire.close();
    await server.close();
  });
  const client = () => createClient({ baseUrl, delay: async () => {} });

  it('has no gap and no duplicate when the connection is cut again and again, also within an event', async () => {
    const total = 300;
    await server.log.append(threadId, notes(1, total / 2));
    wire.cutAfter = 3001;
    const seen: number[] = [];
    for await (const { seq } of client().watch(threadId)) {
      seen.push(seq);
      if (seq === total / 2) await server.log.append(threadId, notes(seq + 1, total));
      if (seq === total) break;
    }
    expect(seen).toEqual(numbers(1, total));
    expect(wire.connections).toBeGreaterThan(5);
  });

  it('goes on when all sockets are killed while it waits', async () => {
    const seen: number[] = [];
    const states: boolean[] = [];
    await server.log.append(threadId, notes(1, 2));
    for await (const { seq } of client().watch(threadId, { after: 1, onConnection: state => states.push(state) })) {
      seen.push(seq);
      if (seq === 5) break;
      wire.cut();
      await server.log.append(threadId, notes(seq + 1, seq + 1));
    }
    expect(seen).toEqual([2, 3, 4, 5]);
    expect(states).toEqual([true, false, true, false, true, false, true, false]);
  });

  it('ends without an error when its signal aborts', async () => {
    const stop = new AbortController();
    const ended = (async () => {
      for await (const event of client().watch(threadId, { signal: stop.signal })) expect(event).toBeUndefined();
      return 'ended';
    })();
    stop.abort();
    expect(await ended).toBe('ended');
  });

  it('throws when the thread is unknown, and when it is removed', async () => {
    await expect(client().watch('none')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'thread_not_found',
    });
    await server.log.append(threadId, notes(1, 1));
    const events = client().watch(threadId)[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    await server.log.deleteThread(threadId);
    await expect(next).rejects.toMatchObject({ code: 'thread_not_found' });
  });
});

describe('a watch over a bad connection', () => {
  type Reply = LoggedEvent[] | Error | 'silence';

  /** Plays one reply per connection, and notes what was asked and how long was waited. */
  function play(replies: Reply[], random = 0.5, options: WatchOptions = {}) {
    const asked: number[] = [];
    const waited: number[] = [];
    const source = {
      idleMs: 5,
      random: () => random,
      delay: async (ms: number) => void waited.push(ms),
      open: async (after: number) => {
        asked.push(after);
        const reply = replies.shift() ?? new SingletreeError('thread_not_found', 'over');
        if (reply instanceof Error) throw reply;
        return new ReadableStream<Uint8Array>({
          start(controller) {
            if (reply === 'silence') return;
            const text = reply.map(event => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join('');
            controller.enqueue(new TextEncoder().encode(text));
            controller.close();
          },
        });
      },
    };
    const seen: number[] = [];
    const watching = (async () => {
      for await (const { seq } of watchEvents(source, options)) seen.push(seq);
    })();
    return { asked, waited, seen, watching };
  }

  it('drops what it has seen, and asks again where something is missing', async () => {
    const { asked, seen, watching } = play([
      [logged(1), logged(2)],
      [logged(1), logged(2), logged(3)],
      [logged(5)],
      [logged(4)],
    ]);
    await expect(watching).rejects.toMatchObject({ code: 'thread_not_found' });
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual([0, 2, 3, 3, 4]);
  });

  it('waits longer after each failure, and starts over when events come', async () => {
    const down = new SingletreeError('server_unreachable', 'down');
    const { waited, watching } = play([down, down, down, [logged(1)], down], 0, { waitForServer: true });
    await expect(watching).rejects.toThrow('over');
    expect(waited).toEqual([125, 250, 500, 125, 250]);
  });

  it('rejects when the server was never reached, unless it is to wait for it', async () => {
    const down = new SingletreeError('server_unreachable', 'down');
    const never = play([down, [logged(1)]]);
    await expect(never.watching).rejects.toThrow('down');
    expect([never.asked, never.waited]).toEqual([[0], []]);
    const failing = new SingletreeError('server_unreachable', 'failing', { details: { status: 503 } });
    const later = play([failing, [logged(1)], down]);
    await expect(later.watching).rejects.toThrow('over');
    expect(later.seen).toEqual([1]);
  });

  it('gives up a connection that is silent for too long', async () => {
    const { asked, seen, watching } = play(['silence', [logged(1)]]);
    await expect(watching).rejects.toThrow('over');
    expect([asked, seen]).toEqual([[0, 0, 1], [1]]);
  });

  it('throws what is no event: it never skips one', async () => {
    const { watching } = play([[{ seq: 1 } as unknown as LoggedEvent]]);
    await expect(watching).rejects.toMatchObject({ code: 'invalid_event' });
  });

  it('never waits more than ten seconds, and never the same for everybody', () => {
    expect([0, 3, 50].map(failures => backoffMs(failures, 0.999999))).toEqual([250, 2000, 10_000]);
    expect([0, 3, 50].map(failures => backoffMs(failures, 0))).toEqual([125, 1000, 5000]);
  });
});

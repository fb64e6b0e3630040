import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PrivateServer, startPostgres } from '../../../test/support/private-servers.ts';
import { isInstalled } from '../../../test/support/services.ts';
import type { AgentEvent } from '../../events/index.ts';
import { readEvents } from '../read-events.ts';
import { PostgresLog } from './postgres-log.ts';
import type { PostgresLogOptions } from './postgres-log-options.ts';

const textEvent = (content: string): AgentEvent => ({ type: 'text', runId: 'run', id: 'a', content });

/** Passes connections on to a server, until it cuts them. */
class Cable {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer(socket => this.#pass(socket));
  #target: URL;
  /** Whether answers of the server are lost. */
  isDeaf = false;
  isCut = false;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  async open(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.#target);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(near: Socket): void {
    if (this.isCut) return void near.destroy();
    const far = connect(Number(this.#target.port), '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        other.destroy();
        this.#sockets.delete(socket);
      });
    }
    near.on('data', chunk => far.write(chunk));
    far.on('data', chunk => {
      if (this.isDeaf) this.cut();
      else near.write(chunk);
    });
  }
}

describe.skipIf(!isInstalled('postgres'))('a PostgreSQL log', () => {
  let server: PrivateServer;
  const opened: { close(): unknown }[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close();
  });
  afterAll(() => server.close());

  const open = async (url: string, options: PostgresLogOptions = {}) => {
    const log = await PostgresLog.open(url, options);
    opened.push(log);
    return log;
  };
  const openThroughCable = async (options?: PostgresLogOptions) => {
    const cable = new Cable(server.url);
    opened.push(cable);
    return { cable, log: await open(await cable.open(), options) };
  };

  it('is refused at once with a clear error when the database cannot be reached', async () => {
    const url = 'postgres://user:secret@127.0.0.1:1/none';
    const opening = PostgresLog.open(url, { openWaitMs: 0 });
    await expect(opening).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringMatching(/127\.0\.0\.1:1\/none could not be reached .*ECONNREFUSED/),
    });
    await expect(opening).rejects.not.toThrow(/secret/);
    const missing = new URL(server.url);
    missing.pathname = '/missing';
    await expect(PostgresLog.open(missing.href)).rejects.toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining('"missing" does not exist'),
    });
  });

  it('loses and doubles nothing when the server restarts in the middle of appends', async () => {
    const log = await open(server.url);
    const { id } = await log.createThread();
    const appended: number[] = [];
    const tailed = (async () => {
      const seen: string[] = [];
      for await (const event of log.tail(id)) if (seen.push((event as { content: string }).content) === 300) break;
      return seen;
    })();
    const writing = (async () => {
      for (let n = 1; n <= 300; n++) {
        const { firstSeq } = await log.append(id, [textEvent(`${n}`)], n % 5 === 0 ? { once: `once ${n}` } : {});
        appended.push(firstSeq);
      }
    })();
    for (const [least, signal] of [
      [50, 'SIGINT'],
      [150, 'SIGKILL'],
    ] as const) {
      await vi.waitFor(() => expect(appended.length).toBeGreaterThan(least), { timeout: 20_000, interval: 1 });
      await server.stop(signal);
      await server.start();
    }
    await writing;
    const expected = Array.from({ length: 300 }, (_, index) => `${index + 1}`);
    const stored: string[] = [];
    for await (const event of readEvents(log, id)) stored.push((event as { content: string }).content);
    expect(stored).toEqual(expected);
    expect(appended).toEqual(expected.map(Number));
    expect(await tailed).toEqual(expected);
  });

  it('recognises changes that took effect although their answers were lost', async () => {
    const { cable, log } = await openThroughCable({ connections: 1, schema: 'lost_answers' });
    const { id } = await log.createThread();
    /** Performs a call of which the first answers are lost. */
    const withLostAnswer = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      cable.isDeaf = true;
      const result = call();
      await new Promise(resolve => setTimeout(resolve, 30));
      cable.isDeaf = false;
      return result;
    };
    expect(await withLostAnswer(() => log.append(id, [textEvent('1'), textEvent('2')]))).toEqual({
      firstSeq: 1,
      lastSeq: 2,
    });
    expect(await withLostAnswer(() => log.append(id, [textEvent('3')], { expectedSeq: 2 }))).toMatchObject({
      lastSeq: 3,
    });
    expect(await withLostAnswer(() => log.append(id, [], { once: 'key' }))).toEqual({ firstSeq: 4, lastSeq: 3 });
    const line = { n: 1, ts: 'now', stream: 'stdout', line: Uint8Array.of(1) } as const;
    await withLostAnswer(() => log.appendRaw(id, 'run', [line, { ...line, n: 2 }]));
    const child = await withLostAnswer(() => log.branch(id, 2, { id: 'child' }));
    expect([child.seq, (await withLostAnswer(() => log.createThread({ id: 'new' }))).id]).toEqual([2, 'new']);
    await withLostAnswer(() => log.deleteThread('new'));
    expect((await log.read(id)).length).toBe(3);
    expect((await log.readRaw(id, 'run')).map(({ n }) => n)).toEqual([1, 2]);
    expect((await log.listThreads()).map(thread => thread.id).toSorted()).toEqual(['child', id].toSorted());
  });

  it('gives up after a bounded time, and recognises the same call afterwards', async () => {
    const { cable, log } = await openThroughCable({ waitMs: 300 });
    const { id } = await log.createThread();
    const events = [textEvent('a')];
    cable.isDeaf = true;
    await expect(log.append(id, events)).rejects.toMatchObject({
      code: 'store_unreachable',
      details: { isUnsettled: true },
    });
    await expect(log.read(id)).rejects.toMatchObject({ code: 'store_unreachable' });
    cable.isDeaf = false;
    expect(await log.append(id, events)).toEqual({ firstSeq: 1, lastSeq: 1 });
    expect(await log.append(id, events)).toEqual({ firstSeq: 2, lastSeq: 2 });
    cable.isCut = true;
    cable.cut();
    await expect(log.append(id, [textEvent('b')])).rejects.toMatchObject({ code: 'store_unreachable' });
    cable.isCut = false;
    expect((await log.read(id)).length).toBe(2);
  });

  it('follows the appends of others after the connection that listens was cut', async () => {
    const { cable, log } = await openThroughCable({ pollMs: 60_000 });
    const other = await open(server.url);
    const { id } = await log.createThread();
    const tail = log.tail(id)[Symbol.asyncIterator]();
    for (let seq = 1; seq <= 3; seq++) {
      const next = tail.next();
      cable.cut();
      await other.append(id, [textEvent(`${seq}`)]);
      expect((await next).value).toMatchObject({ seq });
    }
    await tail.return?.();
  });

  it('rejects what waits when it is closed', async () => {
    const { cable, log } = await openThroughCable();
    const { id } = await log.createThread();
    cable.isCut = true;
    cable.cut();
    const waiting = log.append(id, [textEvent('a')]).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    await log.close();
    expect(await waiting).toBe('log_closed');
  });
});

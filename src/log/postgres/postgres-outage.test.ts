import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { type PrivateServer, startPostgres } from '../../../test/support/private-servers.ts';
import { isInstalled } from '../../../test/support/services.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { readEvents } from '../read-events.ts';
import { PostgresLog } from './postgres-log.ts';
import type { PostgresLogOptions } from './postgres-log-options.ts';

const textEvent = (content: string): AgentEvent => ({ type: 'text', runId: 'run', id: 'a', content });

describe.skipIf(!isInstalled('postgres'))('a PostgreSQL log', () => {
  let server: PrivateServer;
  const opened: { close(): Promise<void> }[] = [];
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
  const openThroughProxy = async (options?: PostgresLogOptions) => {
    const proxy = await FaultProxy.open(() => server.url);
    opened.push(proxy);
    return { proxy, log: await open(proxy.through(server.url), { connections: 1, ...options }) };
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
    const { proxy, log } = await openThroughProxy({ schema: 'lost_answers' });
    const { id } = await log.createThread();
    const withLostAnswer = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      const { cuts } = proxy;
      proxy.cutAfter('response', 0);
      const result = await call();
      expect(proxy.cuts).toBe(cuts + 1);
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
    const { proxy, log } = await openThroughProxy({ waitMs: 300 });
    const { id } = await log.createThread();
    const events = [textEvent('a')];
    proxy.cutAfter('response', 0);
    proxy.isDown = true;
    await expect(log.append(id, events)).rejects.toMatchObject({
      code: 'store_unreachable',
      details: { isUnsettled: true },
    });
    await expect(log.append(id, [textEvent('b')])).rejects.toMatchObject({
      code: 'store_unreachable',
      details: { isUnsettled: false },
    });
    await expect(log.read(id)).rejects.toMatchObject({ code: 'store_unreachable' });
    proxy.isDown = false;
    expect(await log.append(id, events)).toEqual({ firstSeq: 1, lastSeq: 1 });
    expect(await log.append(id, events)).toEqual({ firstSeq: 2, lastSeq: 2 });
    expect((await log.read(id)).length).toBe(2);
  });

  it('waits for a database that does not answer, and continues when it does', async () => {
    const { proxy, log } = await openThroughProxy();
    const { id } = await log.createThread();
    const proceed = proxy.stall();
    const appends = [1, 2, 3].map(n => log.append(id, [textEvent(`${n}`)]));
    proceed();
    expect((await Promise.all(appends)).map(({ lastSeq }) => lastSeq)).toEqual([1, 2, 3]);
  });

  it('follows the appends of others after the connection that listens was cut', async () => {
    const { proxy, log } = await openThroughProxy({ pollMs: 60_000 });
    const other = await open(server.url);
    const { id } = await log.createThread();
    const tail = log.tail(id)[Symbol.asyncIterator]();
    for (let seq = 1; seq <= 3; seq++) {
      const next = tail.next();
      proxy.cut();
      await other.append(id, [textEvent(`${seq}`)]);
      expect((await next).value).toMatchObject({ seq });
    }
    await tail.return?.();
  });

  it('rejects what waits when it is closed', async () => {
    const { proxy, log } = await openThroughProxy();
    const { id } = await log.createThread();
    proxy.isDown = true;
    proxy.cut();
    const waiting = log.append(id, [textEvent('a')]).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    await log.close();
    expect(await waiting).toBe('log_closed');
  });
});

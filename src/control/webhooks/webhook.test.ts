import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HookReceiver } from '../../../test/support/hook-receiver.ts';
import { testDatabase } from '../../../test/support/services.ts';
import { systemClock } from '../../agents/clock.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { PostgresLog } from '../../log/postgres/postgres-log.ts';
import { SqliteLog } from '../../log/sqlite/sqlite-log.ts';
import type { Diagnostic } from '../../base/diagnostics.ts';
import { Webhook, type WebhookOptions } from './webhook.ts';

/** A clock whose delays are a hundredth of what they are. */
const fastClock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };
const said = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 'm', content, final: true });
const used: AgentEvent = { type: 'usage', runId: 'r', inputTokens: 1, outputTokens: 1 };
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

let receiver: HookReceiver;
let log: EventLog;
let hooks: Webhook[];
const problems: Diagnostic[] = [];

function startHook(options: Partial<WebhookOptions> = {}): Webhook {
  const hook = new Webhook({
    log,
    name: 'test',
    url: `http://${receiver.host}/hook`,
    secret: receiver.secret,
    allowHosts: [receiver.host],
    clock: fastClock,
    onDiagnostic: problem => problems.push(problem),
    ...options,
  });
  hooks.push(hook);
  hook.start();
  return hook;
}

/** Resolves when the hook has its cursors: what is appended from then on is sent. */
const begun = () => expect.poll(async () => (await log.getThread('webhook-test')) !== undefined).toBe(true);

beforeEach(async () => {
  receiver = await new HookReceiver().listen();
  log = new MemoryLog();
  hooks = [];
  problems.length = 0;
});
afterEach(async () => {
  await Promise.all(hooks.map(hook => hook.close()));
  await receiver.die();
  await log.close();
});

const database = await testDatabase();
afterAll(() => database?.drop());

describe.skipIf(database === undefined)('a webhook of a PostgreSQL log', () => {
  it('goes on where the one before was, in order, each event once, and leaves the lease to one process', async () => {
    const options = { since: '2020-01-01T00:00:00Z' };
    const open = () => PostgresLog.open(database?.url ?? '', { schema: 'hooks' });
    log = await open();
    const { id } = await log.createThread({ resourceId: 'acme' });
    await log.append(id, [said('one'), said('two')]);
    const first = startHook(options);
    await expect.poll(() => receiver.seqsOf(id)).toEqual([1, 2]);
    const other = await open();
    try {
      startHook({ ...options, log: other });
      await log.append(id, [said('three')]);
      await expect.poll(() => receiver.seqsOf(id)).toEqual([1, 2, 3]);
      await first.close();
      await log.append(id, [said('four')]);
      await expect.poll(() => receiver.seqsOf(id)).toEqual([1, 2, 3, 4]);
      expect(receiver.keys).toEqual([1, 2, 3, 4].map(seq => `${id}:${seq}`));
    } finally {
      await Promise.all(hooks.map(hook => hook.close()));
      await other.close();
    }
  });
});

describe('a webhook', () => {
  it('posts what is appended from now on, signed, in order, with a key for each event', async () => {
    const { id: old } = await log.createThread();
    await log.append(old, [said('before')]);
    await new Promise(resolve => setTimeout(resolve, 5));
    startHook({ types: ['text', 'usage'] });
    await begun();
    const { id } = await log.createThread({ resourceId: 'acme' });
    await log.append(id, [said('one'), { type: 'warning', runId: 'r', message: 'not sent' }, used]);
    await log.append(old, [said('after')]);
    await expect.poll(() => receiver.accepted.length).toBe(3);
    expect(receiver.accepted.filter(({ threadId }) => threadId === id)).toMatchObject([
      { key: `${id}:1`, resourceId: 'acme', event: { type: 'text', content: 'one', seq: 1 } },
      { key: `${id}:3`, resourceId: 'acme', event: { type: 'usage', seq: 3 } },
    ]);
    expect(receiver.seqsOf(old)).toEqual([2]);
    expect(problems).toEqual([]);
  });

  it('sends only its resource, without the events that a branch shares and those that were imported', async () => {
    startHook({ resourceId: 'acme' });
    await begun();
    const own = await log.createThread({ resourceId: 'acme' });
    const other = await log.createThread({ resourceId: 'other' });
    for (const { id } of [own, other]) await log.append(id, [said('one'), said('two')]);
    const branch = await log.branch(own.id, 1);
    await log.append(branch.id, [said('other two')]);
    const imported = await log.createThread({ resourceId: 'acme', imported: true });
    await log.append(imported.id, [said('imported')], { imported: true });
    await log.append(imported.id, [said('continued')]);
    await expect.poll(() => receiver.seqsOf(imported.id)).toEqual([2]);
    await expect.poll(() => receiver.seqsOf(branch.id)).toEqual([2]);
    await expect.poll(() => receiver.seqsOf(own.id)).toEqual([1, 2]);
    expect(receiver.seqsOf(other.id)).toEqual([]);
  });

  it('tries again what a receiver refuses, drops or leaves unanswered, in order, and sends other threads meanwhile', async () => {
    const { id: bad } = await log.createThread();
    const { id: good } = await log.createThread();
    const trouble: ((response: Parameters<HookReceiver['respond']>[0]) => unknown)[] = [
      response => response.writeHead(500).end(),
      response => response.writeHead(429, { 'retry-after': '2' }).end(),
      response => response.socket?.destroy(),
      () => 'silent',
      response => response.writeHead(302, { location: '/elsewhere' }).end(),
      response => response.writeHead(400).end(),
    ];
    receiver.respond = (response, key) => {
      const next = key === `${bad}:2` ? trouble.shift() : undefined;
      if (next !== undefined) next(response);
      return next !== undefined;
    };
    startHook({ timeoutMs: 1_000, since: '2020-01-01T00:00:00Z' });
    await log.append(bad, [said('one'), said('two'), said('three')]);
    await log.append(good, [said('one'), said('two'), said('three')]);
    await expect.poll(() => receiver.seqsOf(good)).toEqual([1, 2, 3]);
    await expect.poll(() => receiver.seqsOf(bad), { timeout: 10_000 }).toEqual([1, 2, 3]);
    expect(trouble).toEqual([]);
    expect(receiver.keys).not.toContain('undefined');
    expect(problems.length).toBeGreaterThanOrEqual(6);
    expect(problems).toContainEqual(expect.objectContaining({ code: 'webhook_failed', threadId: bad }));
  });

  it('waits while its receiver is dead, and sends everything once it lives', async () => {
    startHook();
    await begun();
    await receiver.die();
    const { id } = await log.createThread();
    await log.append(
      id,
      range(1, 250).map(number => said(`${number}`)),
    );
    await expect.poll(() => problems.length).toBeGreaterThan(2);
    await receiver.listen();
    await expect.poll(() => receiver.seqsOf(id), { timeout: 10_000 }).toEqual(range(1, 250));
  });

  it('has a bounded number of requests under way', async () => {
    receiver.respond = response => {
      setTimeout(() => response.writeHead(204).end(), 20);
      return true;
    };
    startHook({ concurrency: 3, since: '2020-01-01T00:00:00Z' });
    for (const _ of range(1, 20)) await log.append((await log.createThread()).id, [said('one')]);
    await expect.poll(() => new Set(receiver.keys).size, { timeout: 10_000 }).toBe(20);
    expect(receiver.mostAtOnce).toBe(3);
  });

  it('hides secrets, also one that is split over fragments', async () => {
    startHook({ secrets: ['hunter-two-password'], since: '2020-01-01T00:00:00Z' });
    const { id } = await log.createThread();
    await log.append(id, [
      { type: 'text', runId: 'r', id: 'm', content: 'It is hunter-tw' },
      { type: 'text', runId: 'r', id: 'm', content: 'o-password.' },
      { type: 'tool_call', runId: 'r', id: 'c', name: 'log', input: { value: 'hunter-two-password' } },
    ]);
    await expect.poll(() => receiver.seqsOf(id)).toEqual([1, 2, 3]);
    expect(JSON.stringify(receiver.accepted)).not.toMatch(/hunter/);
  });

  it('forgets a thread that was deleted', async () => {
    receiver.respond = (response, key) => (key.endsWith(':1') ? (response.writeHead(500).end(), true) : false);
    startHook({ since: '2020-01-01T00:00:00Z' });
    const { id } = await log.createThread();
    await log.append(id, [said('one')]);
    await expect.poll(() => problems.length).toBeGreaterThan(0);
    await log.deleteThread(id);
    await expect.poll(async () => (await log.getThread('webhook-test'))?.metadata['cursors']).toEqual({});
  });

  it.each([
    [{ url: 'http://127.0.0.1:9/hook', allowHosts: [] }, "allowHosts: ['127.0.0.1:9']"],
    [{ url: 'http://localhost:9/hook', allowHosts: [] }, "allowHosts: ['localhost:9']"],
    [{ url: 'http://[::1]:9/hook', allowHosts: [] }, 'is an address of this machine'],
    [{ url: 'ftp://example.com' }, 'the address of a receiver'],
    [{ secret: 'short' }, 'at least 16 characters'],
    [{ name: 'a/b' }, 'letters, digits'],
    [{ types: ['nothing'] }, 'a list of types'],
    [{ retries: 3 }, 'retries'],
  ])('refuses %j', (options, message) => {
    expect(() => startHook(options as Partial<WebhookOptions>)).toThrow(message);
  });
});

describe('a webhook in several processes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-'));
    log = new SqliteLog(join(folder, 'threads.db'));
  });
  afterEach(async () => {
    await Promise.all(hooks.map(hook => hook.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes on where it was, also with what was appended while none ran', async () => {
    const first = startHook();
    await begun();
    const { id } = await log.createThread();
    const { id: idle } = await log.createThread();
    await log.append(id, [said('one'), said('two')]);
    await log.append(idle, [said('one')]);
    await expect.poll(() => receiver.accepted.length).toBe(3);
    await first.close();
    await log.append(id, [said('three')]);
    const { id: fresh } = await log.createThread();
    await log.append(fresh, [said('one')]);
    startHook();
    await expect.poll(() => [receiver.seqsOf(id), receiver.seqsOf(fresh)]).toEqual([[1, 2, 3], [1]]);
    expect(receiver.keys.toSorted()).toEqual([`${id}:1`, `${id}:2`, `${id}:3`, `${idle}:1`, `${fresh}:1`].toSorted());
  });

  it('sends from one at a time; another takes over when that is closed', async () => {
    const first = startHook();
    await begun();
    startHook();
    const { id } = await log.createThread();
    await log.append(id, [said('one')]);
    await expect.poll(() => receiver.keys).toEqual([`${id}:1`]);
    await first.close();
    await log.append(id, [said('two')]);
    await expect.poll(() => receiver.keys).toEqual([`${id}:1`, `${id}:2`]);
  });
});

describe('a webhook over a long time', () => {
  it('keeps the cursors of threads that wait, drops those of others, and sends only what is new', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    log = new MemoryLog({ now: () => now });
    const first = startHook();
    await begun();
    now += 1_000;
    const { id: delivered } = await log.createThread();
    const { id: waiting } = await log.createThread();
    receiver.respond = (response, key) => key === `${waiting}:2` && response.writeHead(500).end() !== undefined;
    await log.append(delivered, [said('one')]);
    await log.append(waiting, [said('one'), said('two')]);
    await expect.poll(() => problems.length).toBeGreaterThan(0);
    now += 60 * 60 * 1_000;
    const cursors = async () => (await log.getThread('webhook-test'))?.metadata['cursors'];
    await expect.poll(cursors).toEqual({ [waiting]: 1 });
    await first.close();

    now += 60 * 60 * 1_000;
    receiver.respond = () => false;
    startHook();
    await expect.poll(() => receiver.seqsOf(waiting)).toEqual([1, 2]);
    await log.append(delivered, [said('two')]);
    await expect.poll(() => receiver.seqsOf(delivered)).toEqual([1, 2]);
    expect(receiver.keys.filter(key => key.startsWith(delivered))).toEqual([`${delivered}:1`, `${delivered}:2`]);
  });
});

describe('the law of webhooks', () => {
  it('every event arrives at least once, and first in the order of its thread, whatever receiver and sender do', async () => {
    const step = fc.oneof(
      fc.record({ append: fc.nat(3), count: fc.integer({ min: 1, max: 5 }) }),
      fc.constantFrom('die', 'listen', 'restart', 'refuse', 'drop', 'wait'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
        const hookName = `law-${Math.random().toString(36).slice(2)}`;
        const ids = await Promise.all(range(0, 3).map(async () => (await log.createThread()).id));
        const appended = new Map<string, number>(ids.map(id => [id, 0]));
        const options = { name: hookName, timeoutMs: 200, since: '2020-01-01T00:00:00Z' };
        let trouble: 'refuse' | 'drop' | undefined;
        receiver.respond = response => {
          if (trouble === 'refuse') response.writeHead(503).end();
          if (trouble === 'drop') response.socket?.destroy();
          const isTrouble = trouble !== undefined;
          trouble = undefined;
          return isTrouble;
        };
        let hook = startHook(options);
        let isAlive = true;
        for (const each of steps) {
          if (typeof each === 'object') {
            const id = ids[each.append] as string;
            const { lastSeq } = await log.append(id, range(1, each.count).map(String).map(said));
            appended.set(id, lastSeq);
          } else if (each === 'die' && isAlive) await receiver.die().then(() => (isAlive = false));
          else if (each === 'listen' && !isAlive) await receiver.listen().then(() => (isAlive = true));
          else if (each === 'restart') {
            await hook.close();
            hook = startHook(options);
          } else if (each === 'refuse' || each === 'drop') trouble = each;
          else await new Promise(resolve => setTimeout(resolve, 10));
        }
        if (!isAlive) await receiver.listen();
        for (const [id, last] of appended)
          await expect.poll(() => receiver.seqsOf(id), { timeout: 20_000 }).toEqual(range(1, last));
        await hook.close();
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});

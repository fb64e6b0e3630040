import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { checkOrder, type EventOf, type EventType, type LoggedEvent } from '../../src/events/index.ts';

const script = fileURLToPath(new URL('../support/shared-server.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'singletree-servers-'));
afterAll(() => rmSync(root, { recursive: true }));

interface SharedServer {
  readonly process: ChildProcess;
  readonly client: Client;
}

let folder = '';
let servers: SharedServer[] = [];
beforeEach(() => void (folder = mkdtempSync(join(root, 'log-'))));
afterEach(async () => {
  for (const server of servers) await kill(server);
  servers = [];
});

/** Starts a server on the log of the test and waits until it answers. */
async function start(leaseMs = 900): Promise<SharedServer> {
  const args = [script, join(folder, 'log.db'), folder, ...(leaseMs > 0 ? [String(leaseMs)] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [string | number | null];
  if (typeof url !== 'string') throw new Error(`the server ended with ${url}`);
  const server = { process: child, client: createClient({ baseUrl: url }) };
  servers.push(server);
  return server;
}

async function kill({ process: child }: SharedServer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Pauses a server, but not while it holds the lock of the file, which it would keep. */
async function pause(owner: SharedServer, other: SharedServer): Promise<void> {
  for (;;) {
    owner.process.kill('SIGSTOP');
    const written = other.client.createThread().then(() => true);
    const tooLong = new Promise<false>(resolve => setTimeout(resolve, 3_000, false));
    if (await Promise.race([written, tooLong])) return;
    owner.process.kill('SIGCONT');
    await written;
  }
}

/** Starts a run of an agent on a server, and waits until an event of it is there for another server. */
async function run(owner: SharedServer, other: SharedServer, content: string, until: EventType, agent = 'worker') {
  const { id: threadId } = await owner.client.createThread();
  const { runId } = await owner.client.sendMessage(threadId, { content, agent });
  const event = await seen(other, threadId, ({ type }) => type === until);
  return { threadId, runId, event };
}

/** The first event of a thread that matches, as a server streams it. */
async function seen(
  { client }: SharedServer,
  threadId: string,
  matches: (event: LoggedEvent) => boolean,
): Promise<LoggedEvent> {
  const stop = new AbortController();
  try {
    for await (const event of client.watch(threadId, { signal: stop.signal })) if (matches(event)) return event;
  } finally {
    stop.abort();
  }
  throw new Error('the stream ended');
}

async function ended(server: SharedServer, threadId: string, runId?: string): Promise<LoggedEvent[]> {
  await seen(server, threadId, event => event.type === 'harness_end' && (runId === undefined || event.runId === runId));
  return eventsOf(server, threadId);
}

async function eventsOf({ client }: SharedServer, threadId: string): Promise<LoggedEvent[]> {
  const lines = (await client.exportThread(threadId)).split('\n').filter(line => line !== '');
  const events = lines.map(line => JSON.parse(line) as LoggedEvent);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(checkOrder(events)).toEqual([]);
  return events;
}

const only = <Type extends EventType>(events: readonly LoggedEvent[], type: Type) =>
  events.filter(event => event.type === type) as unknown as EventOf<Type>[];
const answerIn = (events: readonly LoggedEvent[]) =>
  only(events, 'text')
    .map(({ content }) => content)
    .join('');
const effects = () => readFileSync(join(folder, 'effects.txt'), 'utf8').trim().split('\n');
const effectsOf = ({ process: { pid } }: SharedServer) =>
  effects().flatMap(line => (line.startsWith(`${pid} `) ? [line.slice(`${pid} `.length)] : []));
const release = (name: string) => writeFileSync(join(folder, name), '');

describe('what is given to a server that does not own the run', () => {
  it('reaches the owner: an answer, by the id of the relay alone', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, event } = await run(owner, other, 'note one', 'relay');
    const [relay] = await other.client.listRelays();
    expect(relay).toMatchObject({ id: (event as EventOf<'relay'>).id, threadId });
    await other.client.answerRelay(threadId, relay?.id ?? '', { outcome: 'approve' });
    expect(answerIn(await ended(other, threadId))).toBe('Heard: note one.');
    expect(effectsOf(owner)).toEqual(['note one']);
    expect(await owner.client.listRelays()).toEqual([]);
  });

  it('reaches the owner: a message is answered, once', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, runId } = await run(owner, other, 'hold a', 'tool_start');
    expect(await other.client.sendMessage(threadId, { content: 'and this' })).toEqual({ runId, steered: true });
    release('a');
    // An owner that hears of it only after the tool answers once more; one whose run has ended by then starts another.
    await seen(other, threadId, event => event.type === 'text' && event.content.includes('and this'));
    await vi.waitFor(async () => expect((await other.client.getThread(threadId)).runs).toEqual([]), 10_000);
    const events = await eventsOf(other, threadId);
    expect(only(events, 'user').map(({ content }) => content)).toEqual(['hold a', 'and this']);
    expect(answerIn(events)).toMatch(/Heard: hold a, and this\.$|Heard: and this\.$/);
  });

  it('reaches the owner: an abort ends the run and its tools', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, runId } = await run(owner, other, 'hold b', 'tool_start');
    await other.client.abortRun(runId);
    release('b');
    expect(only(await ended(other, threadId), 'harness_end')).toMatchObject([{ reason: 'aborted' }]);
    expect(effectsOf(owner)).toEqual(['hold b', 'stopped b']);
  });

  it('is kept: a follow-up is delivered once, also when the server that took it in ends', {
    timeout: 30_000,
  }, async () => {
    const [owner, other, third] = await Promise.all([start(), start(), start()]);
    const { threadId, runId } = await run(owner, other, 'hold c', 'tool_start');
    const message = { content: 'hold d', delivery: 'follow_up' } as const;
    expect(await other.client.sendMessage(threadId, message)).toEqual({ runId, queued: true });
    await kill(other);
    release('c');
    await seen(third, threadId, event => event.type === 'harness_end' && event.runId !== runId);
    const events = await eventsOf(third, threadId);
    expect(only(events, 'user')).toMatchObject([{ content: 'hold c' }, { content: 'hold d' }]);
    expect(only(events, 'harness_end')).toHaveLength(2);
  });
});

describe('when the owner of a run dies', () => {
  it('another server continues the run, with each side effect once', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId } = await run(owner, other, 'note two', 'relay');
    await kill(owner);
    const [relay] = await other.client.listRelays();
    await other.client.answerRelay(threadId, relay?.id ?? '', { outcome: 'approve' });
    expect(answerIn(await ended(other, threadId))).toBe('Heard: note two.');
    expect(effects()).toEqual([`${other.process.pid} note two`]);
  });

  it('another server adds a message that the owner did not', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, runId } = await run(owner, other, 'hold e', 'tool_start');
    await other.client.sendMessage(threadId, { content: 'still this' });
    await kill(owner);
    const events = await ended(other, threadId, runId);
    expect(only(events, 'user')).toMatchObject([{ content: 'hold e' }, { content: 'still this', runId }]);
    expect(only(events, 'tool_result')).toMatchObject([{ output: { error: expect.stringContaining('unknown') } }]);
  });

  it('a run of an external program is interrupted, and its session is resumed', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, runId } = await run(owner, other, 'go', 'session', 'external');
    await kill(owner);
    expect(only(await ended(other, threadId, runId), 'harness_end')).toMatchObject([{ reason: 'interrupted' }]);
    const next = await other.client.sendMessage(threadId, { content: 'go on', agent: 'external' });
    expect(answerIn(await ended(other, threadId, next.runId))).toContain('resumed first');
  });
});

describe('a server that is paused or blocked', () => {
  it('keeps its run when nobody else takes it', { timeout: 30_000 }, async () => {
    const owner = await start();
    const { threadId } = await run(owner, owner, 'hold f', 'tool_start');
    owner.process.kill('SIGSTOP');
    // The start of another process, which does nothing, takes longer than the lease.
    await once(spawn(process.execPath, ['-e', 'setTimeout(() => {}, 900)']), 'exit');
    release('f');
    owner.process.kill('SIGCONT');
    expect(answerIn(await ended(owner, threadId))).toBe('Heard: hold f.');
  });

  it('keeps its run for as long as the lease of one machine lasts', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(0), start(0)]);
    const { threadId, runId } = await run(owner, other, 'block g', 'tool_start');
    await expect.poll(() => effects()).toContain(`${owner.process.pid} block g`);
    const message = { content: 'then', delivery: 'follow_up' } as const;
    expect(await other.client.sendMessage(threadId, message)).toEqual({ runId, queued: true });
    release('g');
    const events = (await ended(other, threadId, runId)).filter(event => event.runId === runId);
    expect(only(events, 'tool_result')).toMatchObject([{ output: { context: 'unblocked' } }]);
    expect(answerIn(events)).toBe('Heard: block g.');
  });

  it('appends nothing and stops its tools after another server took its run', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, runId } = await run(owner, other, 'hold h', 'tool_start');
    await pause(owner, other);
    const before = await ended(other, threadId, runId);
    expect(only(before, 'tool_result')).toMatchObject([{ output: { error: expect.stringContaining('unknown') } }]);
    owner.process.kill('SIGCONT');
    await expect.poll(() => effectsOf(owner)).toEqual(['hold h', 'stopped h']);
    expect(await eventsOf(owner, threadId)).toEqual(before);
  });

  it('reports a call that finished after another server took its run', { timeout: 30_000 }, async () => {
    const [owner, other] = await Promise.all([start(), start()]);
    const { threadId, runId } = await run(owner, other, 'block i', 'tool_start');
    await ended(other, threadId, runId);
    release('i');
    const late = await seen(other, threadId, event => event.type === 'warning' && event.code === 'late_result');
    expect(late).toMatchObject({ runId, output: { context: 'unblocked' } });
    expect(only(await eventsOf(other, threadId), 'harness_end')).toMatchObject([{ reason: 'complete' }]);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { type Client, createClient } from '../src/client/index.ts';
import type { EventOf, LoggedEvent } from '../src/events/index.ts';
import { fakeProgram } from './cli-agents/support/fake-program.ts';
import { type Product, startProduct } from './support/product.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const programs = dirname(fakeProgram());
const home = mkdtempSync(join(tmpdir(), 'singletree-owner-'));
let product: Product;
let client: Client;

beforeAll(async () => {
  product = await startProduct(home);
  client = createClient({ baseUrl: product.url, token: product.token });
});
afterAll(async () => {
  await product.end('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

interface RunElsewhere {
  readonly child: ChildProcess;
  readonly threadId: string;
  readonly runId: string;
}

/** Starts an external agent that never ends, in a process of its own on the log of the server. */
async function runElsewhere({ isCollected = true } = {}): Promise<RunElsewhere> {
  const PATH = `${programs}:${process.env['PATH']}`;
  const line = [process.execPath, command, 'run', 'codex', 'hang', '--output', 'events'];
  // The shell becomes a program that never waits for the run that it started.
  const [program = '', ...args] = isCollected
    ? line
    : ['sh', '-c', '"$@" & echo $! > "$SINGLETREE_HOME/pid"; exec sleep 60', 'sh', ...line];
  const child = spawn(program, args, {
    env: { ...bareEnvironment(), PATH, SINGLETREE_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    printed += String(chunk);
    if (printed.includes('still here')) break;
  }
  const { runId } = JSON.parse(printed.slice(0, printed.indexOf('\n'))) as LoggedEvent;
  const threads = await client.listThreads();
  const threadId = threads.find(thread => thread.runs.length > 0)?.id ?? '';
  const [run] = await client.listRuns(threadId);
  expect([runId, run?.status]).toEqual([expect.any(String), 'running']);
  return { child, threadId, runId: run?.runId ?? '' };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function eventsOf(threadId: string): Promise<LoggedEvent[]> {
  const lines = (await client.exportThread(threadId)).split('\n').filter(line => line !== '');
  return lines.map(line => JSON.parse(line) as LoggedEvent);
}

async function endsOf(threadId: string): Promise<EventOf<'harness_end'>[]> {
  return (await eventsOf(threadId)).filter(event => event.type === 'harness_end');
}

describe('a run of another process, on a server that is up', () => {
  it('is stopped by the server', async () => {
    const { child, threadId, runId } = await runElsewhere();
    const exited = once(child, 'exit');
    await client.abortRun(runId);
    expect(await endsOf(threadId)).toMatchObject([{ runId, reason: 'aborted' }]);
    expect((await exited)[0]).toBe(130);
  });

  it('is stopped by the server though its process was killed', async () => {
    const { child, threadId, runId } = await runElsewhere();
    await kill(child);
    await client.abortRun(runId);
    expect(await endsOf(threadId)).toMatchObject([{ runId, reason: 'aborted' }]);
  });

  it('ends by itself when its process was killed', async () => {
    const { child, threadId, runId } = await runElsewhere();
    await kill(child);
    await expect
      .poll(() => endsOf(threadId), { timeout: 20_000, interval: 200 })
      .toMatchObject([{ runId, reason: 'interrupted' }]);
    expect((await client.getThread(threadId)).runs).toEqual([]);
  });

  it('ends by itself when its process was killed and nobody has collected it', async () => {
    const { child, threadId, runId } = await runElsewhere({ isCollected: false });
    process.kill(Number(await readFile(join(home, 'pid'), 'utf8')), 'SIGKILL');
    await expect
      .poll(() => endsOf(threadId), { timeout: 20_000, interval: 200 })
      .toMatchObject([{ runId, reason: 'interrupted' }]);
    await kill(child);
  });

  it('gives way to the next message when its process was killed, so that no two run', async () => {
    const { child, threadId, runId } = await runElsewhere();
    await kill(child);
    const { runId: next } = await client.sendMessage(threadId, { content: 'Go on.', agent: 'demo' });
    expect(await endsOf(threadId)).toMatchObject([{ runId, reason: 'interrupted' }]);
    expect((await client.getThread(threadId)).runs).toEqual([{ runId: next }]);
    await client.abortRun(next);
  });

  it('keeps a message that it does not read until it has ended', async () => {
    const { child, threadId, runId } = await runElsewhere();
    expect(await client.sendMessage(threadId, { content: 'Then this.', agent: 'demo' })).toEqual({
      runId,
      steered: true,
    });
    await kill(child);
    await expect.poll(async () => (await client.getThread(threadId)).runs.length, { timeout: 20_000 }).toBe(1);
    await expect
      .poll(async () => (await client.getThread(threadId)).runs[0]?.runId, { timeout: 20_000 })
      .not.toBe(runId);
    const users = (await eventsOf(threadId)).filter(({ type }) => type === 'user');
    expect(users).toMatchObject([{ content: 'hang' }, { content: 'Then this.' }]);
  });
});

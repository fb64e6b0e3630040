import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runVariable } from '../../src/agents/process/process-marks.ts';
import { demoSuggestions } from '../../src/agents/demo/demo-agent.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { builtCommand } from '../support/command.ts';
import { createMcpClient, type Era, useTool } from '../support/mcp-clients.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'singletree-mcp-'));
const [here, there] = [join(folder, 'here'), join(folder, 'there')];
mkdirSync(here);
mkdirSync(there);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const environment = (more: Record<string, string> = {}) => ({
  ...bareEnvironment(),
  SINGLETREE_HOME: join(folder, 'home'),
  ...more,
});

async function connect(era: Era, args: readonly string[] = [], env: Record<string, string> = {}) {
  const client = createMcpClient(era);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', '--folder', here, ...args],
    env: environment(env),
    stderr: 'ignore',
  });
  await client.connect(transport);
  closers.push(() => client.close());
  return client;
}

async function storeThreads(db: string): Promise<string[]> {
  const log = new SqliteLog(db);
  const ids: string[] = [];
  for (const cwd of [here, there]) {
    const { id } = await log.createThread({ title: `The key of ${cwd}`, metadata: { cwd } });
    await log.append(id, [{ type: 'user', runId: 'r', content: 'It is sk-very-secret-key, keep it.' }]);
    ids.push(id);
  }
  await log.close();
  return ids;
}

describe('singletree mcp', () => {
  it.each(['legacy', 'modern'] as const)('shows the threads of its folder, without secrets (%s)', async era => {
    const db = join(folder, `${era}.db`);
    const [mine, other] = await storeThreads(db);
    const client = await connect(era, ['--db', db], { SECRET_API_KEY: 'sk-very-secret-key' });
    expect(await useTool(client, 'thread_list')).toMatchObject({ threads: [{ threadId: mine }] });
    const page = await useTool(client, 'thread_read', { threadId: mine });
    expect(page['text']).toContain('It is [redacted], keep it.');
    await expect(useTool(client, 'thread_read', { threadId: other })).rejects.toThrow('--all');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('agent_run');
    const all = await connect(era, ['--db', db, '--all']);
    expect((await useTool(all, 'thread_list'))['threads']).toHaveLength(2);
  });

  it('runs an agent that asks, which another process answers and its own does not', async () => {
    const db = join(folder, 'asks.db');
    const allow = ['--allow', 'run', '--allow', 'answer', '--db', db];
    const client = await connect('modern', allow);
    const run = await useTool(client, 'agent_run', { agent: 'demo', prompt: demoSuggestions[0] });
    expect(run).toMatchObject({ status: 'waiting' });
    const { threadId, runId, pending } = run as { threadId: string; runId: string; pending: { relayId: string }[] };
    const [{ relayId } = { relayId: '' }] = pending;
    await expect(useTool(client, 'inbox_answer', { relayId, outcome: 'approve' })).rejects.toThrow(
      'You asked for this run',
    );
    const other = await connect('legacy', allow);
    expect(await useTool(other, 'inbox_answer', { relayId, outcome: 'approve' })).toMatchObject({ by: 'tester' });
    expect(await useTool(client, 'run_wait', { threadId, runId })).toMatchObject({
      status: 'finished',
      outcome: 'complete',
    });
  });

  it('refuses an agent that too many runs are around', async () => {
    const client = await connect('legacy', ['--allow', 'run', '--db', join(folder, 'deep.db')], {
      [runVariable]: 'a b c d',
    });
    await expect(useTool(client, 'agent_run', { agent: 'demo', prompt: 'hi' })).rejects.toThrow('at most 3');
  });

  it('reports a store that cannot be opened as the error of a call, and prints nothing but the protocol', async () => {
    const db = join(folder, 'broken.db');
    writeFileSync(db, 'this is no store, but a long enough text to be taken for one'.repeat(20));
    const child = spawn(process.execPath, [command, 'mcp', '--db', db], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'raw', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    child.stdin.write('this is no message\n');
    const answers: Record<number, Record<string, unknown>> = {};
    for await (const line of createInterface(child.stdout)) {
      const message = JSON.parse(line) as { id: number; result: Record<string, unknown> };
      answers[message.id] = message.result;
      if (message.id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/call', params: { name: 'thread_list', arguments: {} } });
      }
      if (message.id === 2) child.stdin.end();
    }
    expect(answers[2]).toMatchObject({ isError: true });
    expect(JSON.stringify(answers[2])).toMatch(/broken\.db.*\(log_\w+\)/);
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode, 'ends when its input ends').toBe(0);
  });
});

describe('its options', () => {
  const { singletree } = builtCommand();
  it.each([
    [['--allow', 'everything'], 'expected one of: run, answer'],
    [['--folder', '/no/such/folder'], 'Expected a folder that exists.'],
  ])('are checked: %j', (args, message) => {
    const { status, stdout, stderr } = singletree('mcp', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

import { createRequire } from 'node:module';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { type ModelScript, type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { builtCommand } from '../support/command.ts';
import { installPeers, type PeerPackages, peersReady } from '../support/peer-packages.ts';
import { AcpLines } from '../support/acp-schema.ts';
import { command } from './editor-scene.ts';

const node22 = `node-${process.platform}-${process.arch}`;
const acpx: PeerPackages = { folder: 'acpx-0.19.1', packages: ['acpx@0.19.1', `${node22}@22`] };
const provider: PeerPackages = {
  folder: 'acp-ai-provider-0.2.9',
  packages: ['@mcpc-tech/acp-ai-provider@0.2.9', 'ai@6.0.326'],
};

let home: string;
let cwd: string;
let model: ScriptedServer;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-acp-peer-')));
  cwd = join(home, 'project');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.txt'), 'old\n');
});
afterEach(async () => {
  await model.close();
  // The process in which acpx keeps a session ends a moment later.
  rmSync(home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

const edits: ModelScript = ({ step, lastUserText }) => {
  if (!lastUserText.includes('Change')) return `You said: ${lastUserText}`;
  if (step === 0) return [{ toolCall: { name: 'read', input: { path: 'a.txt' } } }];
  if (step > 1) return 'Tried.';
  return [{ toolCall: { name: 'edit', input: { path: 'a.txt', old_string: 'old', new_string: 'new' } } }];
};

const environment = () => ({
  ...bareEnvironment(),
  HOME: home,
  SINGLETREE_HOME: join(home, 'data'),
  OPENAI_API_KEY: 'sk-scripted-key',
  OPENAI_BASE_URL: `${model.url}/v1`,
});

describe.skipIf(!peersReady('the real client acpx', acpx))('acpx', () => {
  async function run(...args: string[]): Promise<string> {
    const peer = createRequire(join(await installPeers(acpx), 'peers.cjs'));
    const node = join(dirname(peer.resolve(`${node22}/package.json`)), 'bin', 'node');
    const program = join(dirname(peer.resolve('acpx/package.json')), 'dist', 'cli.js');
    const agent = `${process.execPath} ${command} acp coder`;
    const all = [program, '--agent', agent, '--cwd', cwd, '--ttl', '120', ...args];
    // It exits with an error when something was denied.
    const ended = promisify(execFile)(node, all, { cwd, env: environment() }).catch(
      (error: { stdout: string }) => error,
    );
    return (await ended).stdout;
  }

  it('runs a prompt, and approves and denies what the agent asks', async () => {
    model = await startScriptedServer({ script: edits });
    expect(await run('--deny-all', 'exec', 'Change it')).toContain('[done] end_turn');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('old\n');
    const shown = await run('--approve-all', 'exec', 'Change it');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('new\n');
    for (const line of ['[tool] Edit a.txt', 'kind: edit', 'Tried.', '[done] end_turn']) expect(shown).toContain(line);
  }, 300_000);

  it('continues a session in other processes, changes mode and model, and writes only valid messages', async () => {
    model = await startScriptedServer({ script: edits });
    await run('sessions', 'new');
    expect(await run('prompt', 'One')).toContain('You said: One');
    await run('set-mode', 'plan');
    await run('set', 'model', 'openai/gpt-5.5');
    const lines = new AcpLines();
    for (const line of (await run('--format', 'json', '--json-strict', 'prompt', 'Two')).split('\n'))
      if (line.includes('"session/update"')) lines.received(line);
    expect(lines.problems).toEqual([]);
    expect(lines.lines.length).toBeGreaterThan(0);
    const events = builtCommand(undefined, environment()).singletree('export', 'last').stdout.trim().split('\n');
    const types = events.map(line => (JSON.parse(line) as LoggedEvent).type);
    expect(types.filter(type => type === 'user')).toHaveLength(2);
    expect(types).toEqual(expect.arrayContaining(['mode_changed', 'model_changed']));
    await run('sessions', 'close');
  }, 300_000);
});

describe.skipIf(!peersReady('the real client acp-ai-provider', provider))(
  'acp-ai-provider, with an older library',
  () => {
    it('streams the same texts and calls as the log has', async () => {
      model = await startScriptedServer({ script: edits });
      const peer = createRequire(join(await installPeers(provider), 'peers.cjs'));
      const script = `
      const { createRequire } = require('node:module');
      const peer = createRequire(${JSON.stringify(peer.resolve('ai/package.json'))});
      const { createACPProvider } = peer('@mcpc-tech/acp-ai-provider');
      const { streamText } = peer('ai');
      const session = { cwd: ${JSON.stringify(cwd)}, mcpServers: [] };
      const args = [${JSON.stringify(command)}, 'acp', 'coder'];
      const acp = createACPProvider({ command: process.execPath, args, env: process.env, session });
      (async () => {
        const { fullStream } = streamText({ model: acp.languageModel(), prompt: 'Change it', tools: acp.tools });
        const parts = [];
        for await (const part of fullStream) parts.push(part);
        process.stdout.write(JSON.stringify(parts), () => process.exit(0));
      })();`;
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd, env: environment() });
      const parts = JSON.parse(stdout) as { type: string; text?: string; toolCallId?: string }[];
      const events = builtCommand(undefined, environment())
        .singletree('export', 'last')
        .stdout.trim()
        .split('\n')
        .map(line => JSON.parse(line) as LoggedEvent);
      const text = events.map(event => (event.type === 'text' ? event.content : '')).join('');
      expect(parts.map(part => (part.type === 'text-delta' ? part.text : '')).join('')).toBe(text);
      const calls = events.flatMap(event => (event.type === 'tool_call' ? [event.id] : []));
      expect(parts.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))).toEqual(calls);
      expect(parts.at(-1)?.type).toBe('finish');
    }, 300_000);
  },
);

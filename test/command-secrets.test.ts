import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';
import { type ScriptedServer, scriptByStep, startScriptedServer } from '../src/testing/index.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { builtCommand } from './support/command.ts';
import { type GitProject, gitProject } from './support/git-project.ts';
import { useChats } from './terminal/chat-scene.ts';

const key = 'sk-ant-0123456789-abcdef';
const token = 'token-of-a-person';

describe('a key of the environment that a thread contains', () => {
  const { home, singletree } = builtCommand(undefined, {
    ANTHROPIC_API_KEY: key,
    SINGLETREE_TOKENS: `Ann=${token} other-token-word`,
  });
  beforeAll(async () => {
    const log = new SqliteLog(join(home, 'singletree.db'));
    const { id } = await log.createThread({ title: `About ${key}` });
    const runId = 'r';
    await log.append(id, [
      { type: 'user', runId: 'asked', content: `My key is ${key}, and ${token}.` },
      { type: 'harness_start', runId, parentId: 'asked:user', agentId: 'claude' },
      { type: 'text', runId, id: 'text', content: `It is ${key.slice(0, 9)}` },
      { type: 'text', runId, id: 'text', content: `${key.slice(9)}, you said.` },
      { type: 'tool_call', runId, id: 'call', name: 'bash', input: { command: `curl -H 'x-api-key: ${key}'` } },
      { type: 'tool_result', runId, id: 'call', name: 'bash', output: { context: encodeURIComponent(key) } },
      { type: 'harness_end', runId, agentId: 'claude', reason: 'complete' },
    ]);
    await log.close();
  });

  it.each([
    'show',
    'show --json',
    'export',
    'export --format markdown',
    'export --format html',
    'export --format atif',
    'export --format otlp --content',
    'debug prompt',
    'debug prompt --json',
    'threads',
    'search About',
    'graph --json',
  ])('is not printed by %s', line => {
    const args = line.split(' ');
    const { status, stdout, stderr } = singletree(...args);
    expect([status, stderr]).toEqual([0, '']);
    for (const part of [key.slice(0, 9), key.slice(9), token]) expect(stdout).not.toContain(part);
    expect(stdout).toContain('[redacted]');
    if (args.includes('--json') || line === 'export' || line.endsWith('atif') || line.includes('otlp'))
      for (const value of stdout.trim().split('\n')) expect(JSON.parse(value)).toBeTypeOf('object');
  });

  it.each(['jsonl', 'markdown', 'html', 'atif'])('is in an exported file (%s) only when that is asked for', format => {
    const [without, all] = [join(home, `without.${format}`), join(home, `all.${format}`)];
    const write = (file: string, ...more: string[]) => singletree('export', '--format', format, '-o', file, ...more);
    expect(write(without)).toEqual({ status: 0, stdout: '', stderr: `Wrote ${without}\n` });
    expect(readFileSync(without, 'utf8')).not.toContain(key.slice(9));
    expect(write(all, '--with-secrets').status).toBe(0);
    expect(readFileSync(all, 'utf8')).toContain(key.slice(9));
    expect(statSync(all).mode & 0o777).toBe(0o600);
    expect(write(all)).toMatchObject({ status: 2, stderr: expect.stringContaining('exists already') as string });
    expect(readFileSync(all, 'utf8')).toContain(key.slice(9));
  });
});

describe('a key of the environment that an agent shows live', () => {
  const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const toolCall = { name: 'bash', input: { command: `echo ${key}; echo x > ${key}` } };
  const script = scriptByStep([[{ toolCall }], `Your key is ${key}, isn't it?`]);
  let project: GitProject;
  let model: ScriptedServer;
  beforeEach(async () => {
    project = gitProject({ 'a.txt': 'one\n' });
    model = await startScriptedServer({ script });
  });
  afterEach(async () => {
    await model.close();
    project.remove();
  });

  async function run(...args: string[]) {
    const child = spawn(process.execPath, [command, ...args, '--yolo'], {
      cwd: project.folder,
      env: {
        ...bareEnvironment(),
        SINGLETREE_HOME: project.home,
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: `${model.url}/v1`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { stdout, stderr };
  }

  it.each([
    ['run', 'coder', 'Show it', '--output', 'events'],
    ['run', 'coder', 'Show it', '--output', 'text'],
    ['run', 'coder', 'Show it', '--output', 'activity'],
    ['compare', 'Show it', '--agents', 'coder,coder', '--json'],
  ])(
    'is not printed by %s %s %s %s %s',
    async (...args) => {
      const { stdout, stderr } = await run(...args);
      for (const part of [key, key.slice(0, 12), key.slice(12)]) expect(stdout + stderr).not.toContain(part);
      expect(stdout).toContain('[redacted]');
      if (args[0] !== 'run') return;
      const [runId = ''] = readdirSync(join(project.home, 'runs'));
      expect(readFileSync(join(project.home, 'runs', runId, 'log.jsonl'), 'utf8')).toContain(key);
    },
    60_000,
  );

  const start = useChats();
  it('is on the screen of a chat, and not in a file that it exports', async () => {
    const scene = await start([`Your key is ${key}.`], { env: { OPENAI_API_KEY: key } });
    scene.type('Show it\r');
    await scene.shows(`Your key is ${key}.`);
    scene.type('/export out.jsonl\r');
    await scene.shows('Wrote');
    const exported = readFileSync(join(scene.cwd, 'out.jsonl'), 'utf8');
    expect(exported).toContain('[redacted]');
    for (const part of [key.slice(0, 12), key.slice(12)]) expect(exported).not.toContain(part);
  }, 60_000);
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { readStartedBy } from '../../src/control/conversations/inside-run.ts';
import type { ModelScript, ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import { type EventLog, SqliteLog, type Thread } from '../../src/log/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer } from '../support/test-server.ts';
import { installPrograms, programsReady, realProgram } from './support/real-program.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const token = 'token-of-the-test';

/** Where a program finds the server: a program to start, or an address. */
type Place = { readonly args: readonly string[] } | { readonly url: string };

interface Program {
  readonly version: string;
  /** How its model calls a tool of the server. */
  readonly call: (name: string, input: object) => ScriptedTurn;
  /** The arguments of a run that asks nobody, with further ones. */
  readonly args: (more: readonly string[]) => readonly string[];
  /** Names the server in its configuration; returns further arguments. */
  readonly configure: (home: string, place: Place) => readonly string[];
  /** What it sends to say which of its calls asks. */
  readonly ids: RegExp;
}

const programs: readonly Program[] = [
  {
    version: 'claude@2.1.326',
    call: (name, input) => [{ toolCall: { name: `mcp__singletree__${name}`, input } }],
    args: more => ['--print', '--verbose', '--dangerously-skip-permissions', ...more, '--', 'go'],
    configure: (home, place) => {
      const file = join(home, 'mcp.json');
      const server =
        'url' in place
          ? { type: 'http', url: place.url, headers: { authorization: `Bearer ${token}` } }
          : { command: process.execPath, args: place.args };
      writeFileSync(file, JSON.stringify({ mcpServers: { singletree: server } }));
      return ['--mcp-config', file];
    },
    ids: /^(toolu_|call_)/,
  },
  {
    version: 'codex@0.169.0',
    call: (name, input) => [{ toolCall: { name, namespace: 'mcp__singletree', input } }],
    args: more => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', ...more, 'go'],
    configure: (home, place) => {
      const lines =
        'url' in place
          ? [`url = ${JSON.stringify(place.url)}`, 'bearer_token_env_var = "SINGLETREE_TOKEN"']
          : [`command = ${JSON.stringify(process.execPath)}`, `args = ${JSON.stringify(place.args)}`];
      appendFileSync(
        join(home, 'config.toml'),
        `[mcp_servers.singletree]\n${lines.join('\n')}\nstartup_timeout_sec = 60\nrequired = true\n`,
      );
      return [];
    },
    ids: /^[\da-f]{8}-/,
  },
];

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Runs a program whose model follows a script; returns the requests that its model got. */
async function run({ version, args, configure }: Program, script: ModelScript, place: Place): Promise<string[]> {
  const model = await startScriptedServer({ script });
  const { executable = '', cwd, env } = realProgram(version, model.url);
  const home = dirname(cwd);
  closers.push(
    () => rmSync(home, { recursive: true, force: true }),
    () => model.close(),
  );
  const child = spawn(executable, args(configure(home, place)), {
    cwd,
    env: { PATH: process.env['PATH'], SINGLETREE_HOME: join(home, 'singletree'), SINGLETREE_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (printed += String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code, printed).toBe(0);
  return model.requests.map(({ body }) => JSON.stringify(body));
}

/** Stores a thread that says where something is. */
async function storeThread(log: EventLog, cwd: string): Promise<void> {
  const { id } = await log.createThread({ title: 'The harbour', metadata: { cwd } });
  await log.append(id, [{ type: 'user', runId: 'r', content: 'The periwinkle is behind the boathouse.' }]);
}

const isRunHere = ({ title }: Thread) => title?.startsWith('Count') === true;

const versions = programs.map(({ version }) => version);
const search = { query: 'periwinkle' };
const prompt = 'Count the lines';

describe.skipIf(!programsReady('MCP with real programs', versions))('a real program as a client', () => {
  beforeAll(() => installPrograms(versions), 600_000);

  describe.each(programs)('$version', program => {
    const { version, call, configure, ids } = program;

    it('finds a thread and runs an agent over standard input and output', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'singletree-mcp-'));
      const db = join(folder, 'threads.db');
      const log = new SqliteLog(db);
      closers.push(
        () => rmSync(folder, { recursive: true, force: true }),
        () => log.close(),
      );
      await storeThread(log, folder);
      const script = [call('thread_search', search), call('agent_run', { agent: 'demo', prompt }), 'Done.'];
      const args = [command, 'mcp', '--db', db, '--folder', folder, '--allow', 'run'];
      const requests = await run(program, script, { args });
      expect(requests.join('\n'), 'the model gets the hit').toContain('boathouse');
      const made = (await log.listThreads()).find(isRunHere) as Thread;
      expect(requests.at(-1), 'the model gets the result of the run').toContain(made.id);
      expect(readStartedBy(made).callers.some(id => ids.test(id))).toBe(true);
    });

    it('finds a thread and runs an agent over HTTP', async () => {
      const agent = scriptedAgent('counter', async function* ({ event }) {
        yield event('text', { id: 't', content: 'There are three lines.' });
      });
      const server = await startTestServer([agent], { mcpAllow: ['run'], tokens: [{ token }], logStyle: 'off' });
      closers.push(() => server.close());
      await storeThread(server.log, '/anywhere');
      const script = [call('thread_search', search), call('agent_run', { agent: 'counter', prompt }), 'Done.'];
      const requests = await run(program, script, { url: `${server.url}/mcp` });
      expect(requests.join('\n'), 'the model gets the hit').toContain('boathouse');
      expect(requests.at(-1), 'the model gets the result of the run').toContain('There are three lines.');
      const made = (await server.log.listThreads()).find(isRunHere) as Thread;
      expect(readStartedBy(made).callers.some(id => ids.test(id))).toBe(true);
    });

    it('is connected by the commands of the guide', async () => {
      const [name = ''] = version.split('@');
      const { executable = '', cwd, env } = realProgram(version, 'http://127.0.0.1:1');
      const [home, bin] = [dirname(cwd), join(dirname(cwd), 'bin')];
      mkdirSync(bin);
      symlinkSync(executable, join(bin, name));
      writeFileSync(join(bin, 'singletree'), `#!/bin/sh\nexec ${process.execPath} ${command} "$@"\n`, { mode: 0o755 });
      closers.push(() => rmSync(home, { recursive: true, force: true }));
      const variables = { SINGLETREE_HOME: home, SINGLETREE_TOKEN: token };
      const path = `${bin}:${process.env['PATH'] ?? ''}`;
      const shell = async (line: string) =>
        (await promisify(execFile)('sh', ['-c', line], { cwd, env: { ...env, HOME: home, PATH: path, ...variables } }))
          .stdout;
      const guide = readFileSync(new URL('../../docs/guides/mcp-server.md', import.meta.url), 'utf8');
      const [overStdio = '', overHttp = ''] = guide.match(new RegExp(`^${name} mcp add .*$`, 'gm')) ?? [];
      const server = await startTestServer([], { tokens: [{ token }], logStyle: 'off' });
      closers.push(() => server.close());
      writeFileSync(join(home, 'token'), token);
      for (const line of [overStdio, overHttp]) {
        await shell(line.replaceAll('~/.singletree/', '~/').replaceAll('http://127.0.0.1:4747', server.url));
        const listed = await shell(`${name} mcp list`);
        expect(listed).toMatch(name === 'claude' ? /singletree.*Connected/ : /singletree .*enabled/);
        await shell(`${name} mcp remove singletree`);
      }
    });

    it('cannot write to the run that it is', async () => {
      const server = await startTestServer([], { mcpAllow: ['run'], tokens: [{ token }], logStyle: 'off' });
      const { id: threadId } = await server.log.createThread();
      const model = await startScriptedServer({ script: [call('run_send', { threadId, message: 'go on' }), 'Done.'] });
      const { env, ...options } = realProgram(version, model.url);
      const home = dirname(options.cwd);
      closers.push(
        () => rmSync(home, { recursive: true, force: true }),
        () => model.close(),
        () => server.close(),
      );
      const agent = cliAgent(version.split('@')[0] ?? '', {
        ...options,
        env: { ...env, SINGLETREE_TOKEN: token },
        extraArgs: configure(home, { url: `${server.url}/mcp` }),
      });
      const { done } = await server.control.start(threadId, { agent, content: 'go' });
      expect(await done).toBe('complete');
      expect(JSON.stringify(model.requests)).toContain('from inside the run itself');
    });
  });
});

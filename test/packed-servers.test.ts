import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../src/client/index.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { packedProject } from './support/packed-project.ts';
import { type TestDatabase, testDatabase } from './support/services.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [ann, bob] = ['ann-s-long-secret', 'bob-s-long-secret'];
const database: TestDatabase | undefined = await testDatabase();
afterAll(() => database?.drop());

interface Server {
  readonly process: ChildProcess;
  readonly url: string;
}

describe.skipIf(database === undefined)('the packed package, from one file to three servers on PostgreSQL', () => {
  let project = '';
  const home = mkdtempSync(join(tmpdir(), 'singletree-servers-'));
  const servers: Server[] = [];
  beforeAll(() => {
    project = packedProject();
    // A reader installs it beside the package.
    symlinkSync(join(root, 'node_modules/pg'), join(project, 'node_modules/pg'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await kill(server, 'SIGTERM');
  });
  afterAll(() => {
    for (const path of [project, home]) rmSync(path, { recursive: true, force: true });
  });

  const env = (store?: string): NodeJS.ProcessEnv => ({
    ...bareEnvironment(),
    HOME: home,
    SINGLETREE_HOME: join(home, '.singletree'),
    SINGLETREE_TOKENS: `ann=${ann},bob=${bob}`,
    ...(store !== undefined && { SINGLETREE_STORE: store }),
  });
  const command = () => join(project, 'node_modules/singletree/dist/cli/main.js');

  async function singletree(store: string | undefined, ...args: string[]): Promise<string> {
    const options = { cwd: project, env: env(store), encoding: 'utf8' as const };
    return (await promisify(execFile)(process.execPath, [command(), ...args], options)).stdout;
  }

  async function serve(store: string): Promise<Server> {
    const args = [command(), 'serve', '--json', '--no-open', '--port', '0', '--allow-host', 'agents.example'];
    const child = spawn(process.execPath, args, {
      cwd: project,
      env: env(store),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const server = { process: child, url: (JSON.parse(String(line)) as { url: string }).url };
    servers.push(server);
    return server;
  }

  async function kill({ process: child }: Server, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  const clientOf = (server: Server | undefined, token = ann) => createClient({ baseUrl: server?.url ?? '', token });

  /** Follows a thread until somebody is asked; returns the id of the question. */
  async function untilAsked(client: Client, threadId: string, after: number): Promise<string> {
    for await (const event of client.watch(threadId, { after })) if (event.type === 'relay') return event.id;
    return expect.fail('nobody was asked');
  }

  /** Follows a thread until a run ends; returns its last seq and how it ended. */
  async function untilEnd(client: Client, threadId: string, after: number): Promise<[number, string | undefined]> {
    for await (const event of client.watch(threadId, { after }))
      if (event.type === 'harness_end') return [event.seq, event.reason];
    return expect.fail('the run did not end');
  }

  it('keeps what one person wrote, and continues a run of a server that is killed while it asks', async () => {
    const store = database?.url ?? '';
    // One person, one file, and a program of the library.
    const file = join(home, 'one.db');
    writeFileSync(
      join(project, 'begin.mjs'),
      `import { loopAgent } from 'singletree/agents';
       import { Supervisor } from 'singletree/control';
       import { SqliteLog } from 'singletree/log';
       import { scriptedModel } from 'singletree/testing';
       const log = new SqliteLog(${JSON.stringify(file)});
       const supervisor = new Supervisor({ log });
       await log.createThread({ id: 'before', title: 'Before' });
       const agent = loopAgent({ id: 'greeter', model: scriptedModel(['It began in a file.']) });
       console.log((await agent.run('Hello', { supervisor, threadId: 'before' })).text);
       await supervisor.close();
       await log.close();`,
    );
    const begun = await promisify(execFile)(process.execPath, ['begin.mjs'], { cwd: project, env: env() });
    expect(begun.stdout).toBe('It began in a file.\n');
    const exported = await singletree(undefined, 'export', 'before', '--db', file);

    expect(await singletree(store, 'store', 'copy', `file:${file}`, store)).toContain('1 thread');
    await singletree(store, 'store', 'check');
    const [first, second, third] = [await serve(store), await serve(store), await serve(store)];
    for (const server of servers) {
      const read = await fetch(`${server.url}/api/threads/before/export`, {
        headers: { authorization: `Bearer ${bob}` },
      });
      expect(await read.text()).toBe(exported);
    }

    const { id } = await clientOf(first).createThread({ title: 'Three servers' });
    await clientOf(first).sendMessage(id, { content: 'Save a note: buy milk', agent: 'demo' });
    const milk = await untilAsked(clientOf(third), id, 0);
    await clientOf(second, bob).answerRelay(id, milk, { outcome: 'approve' });
    const [seq, reason] = await untilEnd(clientOf(third), id, 0);
    expect(reason).toBe('complete');

    await clientOf(first).sendMessage(id, { content: 'Save a note: buy bread', agent: 'demo' });
    const bread = await untilAsked(clientOf(second), id, seq);
    await kill(first, 'SIGKILL');
    await clientOf(second, bob).answerRelay(id, bread, { outcome: 'approve' });
    expect((await untilEnd(clientOf(third), id, seq))[1]).toBe('complete');

    const notes = readFileSync(join(home, '.singletree/demo/notes.md'), 'utf8');
    expect(notes.match(/buy (milk|bread)/g)).toEqual(['buy milk', 'buy bread']);
    const { decisions } = await clientOf(third).listDecisions();
    expect(decisions.map(({ answer }) => answer?.by)).toEqual(['bob', 'bob']);
    await singletree(store, 'store', 'check');
  }, 180_000);
});

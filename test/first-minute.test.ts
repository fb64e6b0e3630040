import { spawn as spawnChild, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { afterEach, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { builtCommand } from './support/command.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** A machine without keys, without agents and without models. */
const { singletree, withInput } = builtCommand();
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach(clean => clean()));

/** Starts the command at a terminal, in a new folder and a new home. */
function atTerminal(...args: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-first-')));
  const cwd = join(root, 'project');
  mkdirSync(cwd);
  const env = { ...bareEnvironment(), HOME: root, SINGLETREE_HOME: join(root, 'home'), TERM: 'xterm-256color' };
  const terminal = spawn(process.execPath, [command, ...args], { cwd, env, cols: 160, rows: 40 });
  let printed = '';
  terminal.onData(data => (printed += data));
  const ended = new Promise<number>(resolve => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  cleanups.push(() => terminal.kill());
  return { printed: () => printed, type: (keys: string) => terminal.write(keys), ended };
}

describe('without a key', () => {
  it('a chat says in two lines what to do, and is one with the demo', async () => {
    const chat = atTerminal('chat');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('demo in ');
    expect(chat.printed()).toContain('No model can be used yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY');
    expect(chat.printed()).toContain('This is the demo, a scripted agent that needs no key');
    chat.type('Hello\r');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('scripted');
  }, 60_000);

  it('a chat in a pipe does the same', () => {
    const { stdout } = withInput('Hello\n', 'chat');
    expect(stdout).toMatch(/^Warning: No model can be used yet.*\nWarning: This is the demo.*\n› Hello\n/);
  });

  it('an agent that was named is an error of two lines, and the list of models and doctor say the same', () => {
    const said = /No model can be used yet: set ANTHROPIC_API_KEY .*\nThe demo needs no key: singletree chat demo/;
    expect(singletree('chat', 'coder')).toMatchObject({ status: 1, stderr: expect.stringMatching(said) as string });
    expect(singletree('models').stdout).toMatch(new RegExp(`^${said.source}\n$`));
    expect(singletree('doctor').stdout).toMatch(
      /^· models +No model can be used yet: set ANTHROPIC_API_KEY .*\n +→ The demo needs no key: singletree chat demo$/m,
    );
  });
});

describe('singletree agents', () => {
  it('lists our own agents before the external ones, each with its state', () => {
    const lines = singletree('agents').stdout.split('\n');
    expect(lines[0]).toMatch(/^coder +no model +set ANTHROPIC_API_KEY or OPENAI_API_KEY$/);
    expect(lines[1]).toMatch(/^demo +ready +scripted, needs no key$/);
    expect(lines[2]).toMatch(/^codex +/);
    const values = singletree('agents', '--json').stdout.trim().split('\n');
    expect(values.map(line => JSON.parse(line) as object)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'coder', isUsable: false }),
        expect.objectContaining({ id: 'demo', isUsable: true }),
        expect.objectContaining({ id: 'codex' }),
      ]),
    );
    const { singletree: withKey } = builtCommand(undefined, { OPENAI_API_KEY: 'sk-key' });
    expect(withKey('agents').stdout).toMatch(/^coder +ready +openai\//);
  });
});

describe('singletree in a folder', () => {
  /** Starts a server and returns its line of JSON; it is ended after the test. */
  async function serve(home: string, cwd: string, ...args: readonly string[]) {
    const child = spawnChild(process.execPath, [command, 'serve', '--json', '--no-open', ...args], {
      cwd,
      env: { ...bareEnvironment(), HOME: home, SINGLETREE_HOME: join(home, '.singletree') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanups.push(() => child.kill());
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return JSON.parse(line) as Record<string, unknown>;
  }
  const folders = () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-place-')));
    for (const name of ['one', 'two']) mkdirSync(join(home, name));
    writeFileSync(join(home, 'one/package.json'), '{}');
    return home;
  };

  it('works in that folder and says what it found; the example is a project of its own', async () => {
    const home = folders();
    const here = await serve(home, join(home, 'one'), '--port', '0');
    expect(here).toMatchObject({ folder: '~/one', found: ['package.json'] });
    const example = await serve(home, join(home, 'two'), '--port', '0', '--example');
    expect(example).toMatchObject({ folder: '~/.singletree/example', found: ['package.json'] });
    expect(readdirSync(join(home, 'two'))).toEqual([]);
    const scripts = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts.scripts['start'], 'npm start does not work on the clone').toContain('serve --example');
  }, 60_000);

  it('joins the server that runs already and opens the folder there, and names another program', async () => {
    const home = folders();
    const { url } = await serve(home, join(home, 'one'), '--port', '0');
    const { port } = new URL(String(url));
    expect(await serve(home, join(home, 'one'))).toEqual({ url, folder: join(home, 'one'), isJoined: true });
    expect(await serve(home, join(home, 'one'), '--port', port)).toMatchObject({ url, isJoined: true });
    const env = { ...bareEnvironment(), HOME: home, SINGLETREE_HOME: join(home, '.singletree') };
    const refused = (cwd: string, at: string, ...args: readonly string[]) =>
      spawnSync(process.execPath, [command, 'serve', '--port', at, ...args], {
        cwd: join(home, cwd),
        env,
        encoding: 'utf8',
      });
    expect(await serve(home, join(home, 'two'))).toEqual({ url, folder: join(home, 'two'), isJoined: true });
    expect(refused('two', port, '--yolo')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`Port ${port} is taken by Singletree in ~/one: ${String(url)}`) as string,
    });
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    cleanups.push(() => other.close());
    const { port: taken } = other.address() as AddressInfo;
    expect(refused('two', String(taken)).stderr).toContain(`Port ${taken} on 127.0.0.1 is taken by another program`);
  }, 60_000);
});

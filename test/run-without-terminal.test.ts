import { spawn as spawnChild } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeProgram } from './cli-agents/support/fake-program.ts';
import { bareEnvironment } from './support/bare-environment.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const programs = dirname(fakeProgram('gemini', 'fake-acp.mjs'));
for (const name of ['qwen', 'copilot']) copyFileSync(join(programs, 'gemini'), join(programs, name));
const others = [fakeProgram('claude', 'fake-claude.mjs'), fakeProgram()].map(dirname);

let home: string;
beforeEach(() => (home = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-piped-')))));
afterEach(() => rmSync(home, { recursive: true, force: true }));
const environment = () => ({
  ...bareEnvironment(),
  PATH: [programs, ...others, process.env['PATH']].join(':'),
  HOME: home,
  SINGLETREE_HOME: home,
});

/** Starts the command without a terminal; `until` resolves when it has printed a text. */
function start(...args: string[]) {
  const child = spawnChild(process.execPath, [command, ...args], { cwd: home, env: environment(), stdio: 'pipe' });
  child.stdin.end();
  let printed = '';
  let changed = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
      changed();
    });
  const until = (words: string) =>
    new Promise<void>(resolve => {
      changed = () => void (printed.includes(words) && resolve());
      changed();
    });
  return { child, until };
}

async function run(...args: string[]) {
  const { child } = start(...args);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, status: status as number };
}

const shown = async () => (await run('show', 'last')).stdout;

describe('a thread that is handed over to another agent', () => {
  it('is continued by it with what was said, and without a prompt it is asked to continue', {
    timeout: 30_000,
  }, async () => {
    await run('run', 'qwen', 'Which bird?');
    const { stdout, stderr, status } = await run('run', 'copilot', '--continue', 'last');
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('User: Which bird?');
    expect(stdout).toContain('Now the user asks:\n\nContinue where the conversation stopped.');
    expect((await run('threads', '--json')).stdout.trim().split('\n')).toHaveLength(1);
  });

  it('is named once', async () => {
    const { stderr, status } = await run('run', 'qwen', 'hello', '--continue', 'last', '--resume', 'last');
    expect([stderr, status]).toEqual([expect.stringContaining('--continue and --resume both name a thread'), 2]);
  });
});

describe('an agent that has no print mode, without a terminal', () => {
  it.each(['gemini', 'qwen', 'copilot'])('runs over its live channel: %s', async name => {
    const { stdout, stderr, status } = await run('run', name, 'hello');
    expect([stdout, status], stderr).toEqual([expect.stringContaining('I read: hello'), 0]);
  });

  it('is denied what rules would ask, with the reason, and the exit code says so', async () => {
    const { stdout, stderr, status } = await run('run', 'gemini', 'run touch x', '--output', 'events');
    expect(status).toBe(1);
    expect(stderr).toMatch(/denied: run_shell_command\. Allow it with rules .*\(singletree run --wait\)/);
    expect(stdout).toContain('nobody can be asked');
  });

  it('is refused with --print', async () => {
    const { stderr, status } = await run('run', 'gemini', 'hello', '--print');
    expect([status, stderr]).toEqual([2, expect.stringContaining('Gemini CLI has no print mode. Leave out --print.')]);
  });
});

describe('--wait', () => {
  it('lets a question wait in the inbox until it is answered', { timeout: 30_000 }, async () => {
    const { child, until } = start('run', 'gemini', 'run touch x', '--wait');
    await until('waiting for an answer: singletree inbox show');
    const answered = await run('inbox', 'approve', 'last');
    expect(answered.stdout, answered.stderr).toContain('approve: Run $ touch x');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(await shown()).toContain('It ran.');
  });
});

describe('an interrupted run', () => {
  it.each(['gemini', 'claude'])('is resumed without a terminal: %s', { timeout: 30_000 }, async name => {
    const begun = name === 'gemini' ? 'hang' : 'say Begun.; hang';
    const { child, until } = start('run', name, begun, '--wait', '--output', 'events');
    await until('"content":"Begun."');
    child.kill('SIGKILL');
    await once(child, 'close');
    const resumed = await run('run', name, '--resume', 'last');
    expect([resumed.status, resumed.stderr]).toEqual([0, expect.stringMatching(/^thread /)]);
    expect(await shown()).toContain('Its session is resumed, and its model is asked to continue.');
  });

  it('of a program that forgot what it asked continues without the answer, and says so', {
    timeout: 30_000,
  }, async () => {
    const { child, until } = start('run', 'gemini', 'run touch x', '--wait');
    await until('waiting for an answer');
    child.kill('SIGKILL');
    await once(child, 'close');
    const answered = await run('inbox', 'approve', 'last');
    expect([answered.status, answered.stderr]).toEqual([0, expect.stringContaining('The call did not run')]);
    expect(await shown()).not.toContain('It ran.');
  });
});

describe('a terminal that is closed', () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => cleanups.splice(0).forEach(clean => clean()));

  /** Runs the command on a terminal until it shows a text, closes the terminal, and returns the signal of its end. */
  async function closeAfter(words: string, ...args: string[]): Promise<number | undefined> {
    const terminal = spawn(process.execPath, [command, ...args], {
      cols: 100,
      rows: 30,
      cwd: home,
      env: environment(),
    });
    cleanups.push(() => terminal.kill());
    const ended = new Promise<number | undefined>(resolve => terminal.onExit(({ signal }) => resolve(signal)));
    let screen = '';
    await new Promise<void>(resolve =>
      terminal.onData(data => {
        screen += data;
        if (screen.includes(words)) resolve();
      }),
    );
    (terminal as IPty & { destroy(): void }).destroy();
    return ended;
  }

  it('detaches a run, which the thread shows and which can be resumed', { timeout: 30_000 }, async () => {
    expect(await closeAfter('y once', 'run', 'demo', 'Remember the milk'), 'SIGHUP').toBe(1);
    const before = await shown();
    expect(before).toMatch(/! The terminal was closed .* To resume it: singletree run demo --resume \S+\n$/);
    const { child, until } = start('run', 'demo', '--resume', 'last', '--wait');
    await until('waiting for an answer');
    await run('inbox', 'approve', 'last');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(await shown()).toContain('the note is saved');
  });

  it('stops a run that cannot be resumed', { timeout: 30_000 }, async () => {
    writeFileSync(
      join(home, 'singletree.config.mjs'),
      `export default { agents: [{ id: 'slow', async *invoke({ run: { runId, signal } }) {
        yield { type: 'text', runId, id: 't', content: 'Begun.' };
        await new Promise(resolve => signal.addEventListener('abort', resolve));
      } }] };`,
    );
    expect(await closeAfter('Begun.', 'run', 'slow', 'go'), 'SIGHUP').toBe(1);
    expect(await shown()).toContain('■ stopped');
  });

  it('ends a chat without a crash', { timeout: 30_000 }, async () => {
    expect(await closeAfter('Enter sends', 'chat', 'demo'), 'SIGHUP').toBe(1);
  });
});

describe('--attach', () => {
  it.each([
    ['gemini', 'zebra plan'],
    ['codex', '88:read this\\n\\n<attachme'],
  ])('gives an agent a text file that it takes no other way: %s', async (name, said) => {
    writeFileSync(join(home, 'plan.md'), '# The zebra plan\n');
    const { stdout, stderr, status } = await run(
      'run',
      name,
      'read this',
      '--attach',
      join(home, 'plan.md'),
      '--output',
      'events',
    );
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^thread /)]);
    expect(stdout).toContain(said);
    expect(stdout).toContain('"filename":"plan.md"');
  });

  it('is not needed for a file of the folder that the prompt mentions; other words stay text', async () => {
    writeFileSync(join(home, 'plan.md'), '# The zebra plan\n');
    const asked = 'read @plan.md for @alice, not @../secret';
    const { stdout, status } = await run('run', 'gemini', asked, '--output', 'events');
    expect([status, stdout]).toEqual([0, expect.stringContaining('zebra plan')]);
    expect(stdout.match(/"filename":"[^"]*"/g)).toEqual(['"filename":"plan.md"']);
    expect(stdout).toContain(asked);
  });

  it('refuses a file that does not exist, and one without a prompt', async () => {
    const missing = await run('run', 'gemini', 'read', '--attach', 'missing.md');
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('"missing.md" cannot be read')]);
    const nothing = await run('run', 'gemini', '--resume', 'last', '--attach', 'a.md');
    expect([nothing.status, nothing.stderr]).toEqual([2, expect.stringContaining('--attach needs a prompt')]);
  });
});

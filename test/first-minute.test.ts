import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('an agent that was named is an error of two lines, and the list of models says the same', () => {
    const said = /No model can be used yet: set ANTHROPIC_API_KEY .*\nThe demo needs no key: singletree chat demo/;
    expect(singletree('chat', 'coder')).toMatchObject({ status: 1, stderr: expect.stringMatching(said) as string });
    expect(singletree('models').stdout).toMatch(new RegExp(`^${said.source}\n$`));
  });
});

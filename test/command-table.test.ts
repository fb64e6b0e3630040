import { Command, CommanderError } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { addCommands, commandNames } from '../src/cli/command-list.ts';
import { builtCommand } from './support/command.ts';

/** Returns the program with every command, which throws instead of ending and prints into a text. */
async function programOf(): Promise<{ readonly program: Command; readonly printed: () => string }> {
  let text = '';
  const program = new Command('singletree');
  await addCommands(program, commandNames);
  const silence = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: more => (text += more), writeErr: more => (text += more) });
    for (const below of command.commands) silence(below);
  };
  silence(program);
  return { program, printed: () => text };
}

/** The commands that do something, with those they are under. */
function leaves(command: Command, path: readonly string[] = []): { path: readonly string[]; command: Command }[] {
  return command.commands.flatMap(below => {
    const at = [...path, below.name()];
    return below.commands.length === 0 ? [{ path: at, command: below }] : leaves(below, at);
  });
}

const { program: all } = await programOf();
const table = leaves(all).map(({ path, command }) => [path.join(' '), command] as const);
/** Those that print a script, talk with a person, or speak a protocol. */
const withoutJson = ['completion', 'chat', 'acp', 'mcp'];
const ofThread = table.flatMap(([name, command]) =>
  command.registeredArguments.some(argument => argument.name() === 'thread') ? [name] : [],
);

describe('every command', () => {
  it.each(table)('%s has a line, an example, --json and exit code 2 for a wrong option', async (name, command) => {
    expect(command.description()).not.toBe('');
    const { program, printed } = await programOf();
    const parse = (...args: string[]) => program.parseAsync([...name.split(' '), ...args], { from: 'user' });
    await expect(parse('--help')).rejects.toMatchObject({ exitCode: 0 });
    expect(printed()).toContain(`Example: singletree ${name}`);
    const hasJson = command.options.some(({ long }) => long === '--json');
    expect(hasJson).toBe(!withoutJson.includes(name));
    const wrong = await parse('--no-such-option').catch((error: unknown) => error);
    // A failure of commander that is not help is exit code 2 of the program.
    expect(wrong).toBeInstanceOf(CommanderError);
    expect((wrong as CommanderError).exitCode).not.toBe(0);
  });

  it('names threads in one way: by id, by the beginning of an id, and by "last"', () => {
    expect(ofThread.toSorted()).toEqual(
      ['branch', 'debug prompt', 'export', 'graph', 'redo', 'rm', 'send', 'show', 'undo'].toSorted(),
    );
    for (const [name, command] of table)
      for (const argument of command.registeredArguments.filter(each => each.name() === 'thread'))
        expect(argument.description, name).toBe(
          'its id, the beginning of its id, or "last": the newest of this folder',
        );
  });
});

describe('a command on a thread', () => {
  const { singletree } = builtCommand();
  let id: string;
  beforeAll(() => {
    singletree('demo');
    id = (JSON.parse(singletree('threads', '--json').stdout) as { id: string }).id;
  });
  const words = (name: string, thread: string) => [
    ...name.split(' '),
    thread,
    ...(name === 'send' ? ['Hello', '--no-wait'] : []),
    ...(name === 'debug prompt' ? ['--agent', 'claude'] : []),
  ];

  it.each(ofThread)('%s rejects an unknown thread with exit code 2', name => {
    const { status, stdout, stderr } = singletree(...words(name, 'no-such-thread'));
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^singletree: There is no thread "no-such-thread"\. .*\(thread_not_found\)\n$/);
  });

  it.each(['show', 'export', 'graph', 'debug prompt', 'branch'])('%s takes the beginning of an id', name => {
    const { status, stdout } = singletree(...words(name, id.slice(0, 13)), '--json');
    expect(status).toBe(0);
    for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('fails with exit code 1 for what cannot be done, and 2 for what was not understood', () => {
    expect(singletree('run', 'coder', 'Hello')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('(missing_api_key)') as string,
    });
    expect(singletree('import', 'no-such-file.jsonl')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^singletree: There is no file "no-such-file\.jsonl"\. .*\n$/) as string,
    });
    expect(singletree('rm', id.slice(0, 13))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--yes') as string,
    });
    expect(singletree('inbox', 'approve', '7').status).toBe(2);
  });
});

it('says that there are no threads yet', () => {
  const { singletree } = builtCommand();
  expect(singletree('show').stderr).toContain('This log has no threads yet.');
});

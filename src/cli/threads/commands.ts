import type { UsageGroup } from '../../log/derived/usage-totals.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommandName, listedCommand, subcommand } from '../command-list.ts';
import { addJsonOption, addStoreOptions, folder } from '../command-options.ts';

const thread = ['[thread]', 'its id, the beginning of its id, or "last": the newest of this folder', 'last'] as const;
/** The external agents whose sessions `export` writes: named here, so that no adapter is loaded for a list of options. */
export const writableSessions = ['claude', 'cline', 'codex', 'gemini', 'goose', 'kilo', 'opencode', 'pi'];
const actions = () => import('./actions.ts');

/** Adds the commands that list, show, copy and remove threads. */
export function addThreadCommands(program: Command): void {
  const add = (name: CommandName) => addJsonOption(addStoreOptions(listedCommand(program, name)));

  add('threads')
    .option('--limit <number>', 'at most this many', count, 20)
    .action(async options => (await actions()).listThreads(options));
  add('show')
    .argument(...thread)
    .option('-f, --follow', 'continue with what is added, until Ctrl-C')
    .action(async (id, options) => (await actions()).showThread(id, options));
  add('export')
    .argument(...thread)
    .addOption(
      new Option(
        '--format <format>',
        'events as JSON lines; the active branch as a document, or as a session that another program continues; spans',
      )
        .choices(['jsonl', 'markdown', 'html', 'atif', 'otlp', ...writableSessions])
        .default('jsonl'),
    )
    .option(
      '-o, --output <file>',
      'write this new file instead; pictures of an ATIF document go beside it; a folder for cline',
    )
    .option('--with-secrets', 'keep what looks like a secret')
    .option('--content', 'with otlp: also what people, models and tools said')
    .option('--open', 'with otlp: also runs that have not ended')
    .action(async (id, options) => (await import('./export.ts')).exportCommand(id, options));
  add('import')
    .argument(
      '[source]',
      'an agent whose sessions to import, or a file that singletree export wrote, "-" for standard input',
    )
    .argument(
      '[path]',
      "with an agent: a session file, or a folder or database that has sessions, instead of the agent's own",
    )
    .option('--all', 'import every session that is found; without it and a path they are listed')
    .option('--watch', 'continue to import what the agents add, until Ctrl-C')
    .option('--skip-secrets', 'replace the keys and passwords that this machine knows in what is stored')
    .option('--title <title>', 'with a file: the title of the new thread')
    .action(async (source, path, options) => (await import('./import.ts')).importCommand(source, path, options));
  add('branch')
    .argument(...thread)
    .option('--at <seq>', 'the last event that both share; the newest when absent', count)
    .option('--title <title>', 'the title of the new thread')
    .action(async (id, options) => (await actions()).branchCommand(id, options));
  add('rm')
    .argument('<thread>', thread[1])
    .option('-y, --yes', 'also when only the beginning of the id is given')
    .action(async (id, options) => (await actions()).removeCommand(id, options));
  add('graph')
    .argument(...thread)
    .action(async (id, options) => (await actions()).graphCommand(id, options));
  for (const direction of ['undo', 'redo'] as const)
    add(direction)
      .argument(thread[0], thread[1])
      .option('-y, --yes', 'also when the thread is of another folder')
      .option('--preview', 'only print what would happen')
      .option('--force', 'also rewind files that somebody else changed since')
      .option('--message <id>', 'with undo: the user message from which on everything is taken back')
      .action(async (id, options) => (await actions()).rewindCommand(direction, id, options));
  add('search')
    .argument('<words...>', 'all of them have to occur')
    .option('--limit <number>', 'at most this many, up to 100', count, 20)
    .action(async (words, options) => (await import('./queries.ts')).searchCommand(words, options));
  add('usage')
    .option(
      '--by <groups>',
      `${usageGroups.join(', ')}: one or several, separated by commas; with tool, the calls of tools`,
      groups,
      ['day', 'agent', 'model'],
    )
    .option('--from <day>', 'the first day, such as 2026-01-31')
    .option('--to <day>', 'the last day')
    .option('--imported', 'what imported sessions report instead, which counts in no total')
    .action(async options => (await import('./queries.ts')).usageCommand(options));
  const debug = listedCommand(program, 'debug');
  addJsonOption(
    addStoreOptions(
      subcommand(debug, 'prompt', {
        description:
          'print what a model would be sent of a thread, or was sent at a step: instructions, tools with their schemas, messages',
        example: 'singletree debug prompt last --message "and now?"',
      }),
    ),
  )
    .argument(...thread)
    .option('--agent <name>', 'the agent that would send it; that of the newest turn when absent')
    .option('--message <text>', 'a further message of yours')
    .option('--mode <mode>', 'the mode of the agent; that of the thread when absent')
    .option('--cwd <folder>', 'the folder that the agent works in', folder)
    .addOption(
      new Option('--step <number>', 'what was sent at this step of the newest run, from the log; the first is 0')
        .argParser(count)
        .conflicts(['agent', 'message', 'mode', 'cwd']),
    )
    .option('--run <id>', 'with --step: the run, also one of a subagent or of the memory')
    .action(async (id, options) => (await import('./debug.ts')).promptCommand(id, options));
  addJsonOption(
    subcommand(debug, 'env', {
      description: 'list the variables that a program gets of yours, and those it does not, by name',
      example: 'singletree debug env claude',
    }),
  )
    .argument('[agent]', 'an external agent, whose own variables are passed too')
    .option('--cwd <folder>', 'the folder that the agent works in', folder)
    .action(async (agent, options) => (await import('./debug.ts')).environmentCommand(agent, options));
  addInboxCommand(add('inbox'));
}

function addInboxCommand(inbox: Command): void {
  inbox.action(async options => (await import('./inbox.ts')).listInbox(options));
  const relayed = ['<relay>', 'its number in the list, its id or the beginning of it, or "last"'] as const;
  const add = (name: string, description: string, example: string) =>
    addJsonOption(addStoreOptions(subcommand(inbox, name, { description, example })), 'result');
  add('show', 'print one of them whole', 'singletree inbox show 1')
    .argument(...relayed)
    .action(async (relay: string, _options: object, command: Command) =>
      (await import('./inbox.ts')).showInbox(relay, command.optsWithGlobals()),
    );
  const outcomes = { approve: '', reject: '', revise: '<json>', answer: '<text>' } as const;
  const examples = {
    approve: '1 --remember thread',
    reject: '1 --reason "Use git mv"',
    revise: `1 '{"command":"npm test"}'`,
    answer: 'last "the blue one"',
  };
  for (const [outcome, value] of Object.entries(outcomes) as [keyof typeof outcomes, string][]) {
    const command = add(outcome, `${outcome} one of them`, `singletree inbox ${outcome} ${examples[outcome]}`).argument(
      ...relayed,
    );
    if (value !== '') command.argument(value, outcome === 'revise' ? 'the input to use instead' : 'the answer');
    command
      .option('--reason <text>', 'words for the agent')
      .addOption(
        new Option('--remember <reach>', 'how far an approval reaches').choices(['once', 'thread', 'category']),
      )
      .option('--no-resume', 'refuse when no process runs the thread any more, instead of resuming it here')
      .action(async (...given: unknown[]) => {
        const [relay, text] = given as [string, string];
        // The list has the same options and takes them wherever they are written.
        const options = (given.at(-1) as Command).optsWithGlobals();
        const { answerInbox } = await import('./inbox.ts');
        process.exitCode = await answerInbox(outcome, [relay, value === '' ? undefined : text], options);
      });
  }
}

const usageGroups: readonly string[] = ['day', 'agent', 'model', 'resource', 'thread', 'tool'] satisfies UsageGroup[];

function groups(text: string): string[] {
  const given = text.split(',').map(group => group.trim());
  if (given.every(group => usageGroups.includes(group))) return given;
  throw new InvalidArgumentError(`expected ${usageGroups.join(', ')}, or several of them separated by commas`);
}

function count(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('expected a whole number');
}

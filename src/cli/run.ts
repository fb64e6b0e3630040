import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PermissionRuleSet } from '../agents/contract/permissions.ts';
import { listedCommand } from './command-list.ts';
import { addStoreOptions, addVerboseOption, collect, duration, folder, folderToWrite } from './command-options.ts';
import type { RunAtTerminalOptions } from './run/run-at-terminal.ts';
import type { OutputKind } from './run/run-printer.ts';
import { errorText } from '../base/error-text.ts';

/** Adds `singletree run`, which runs an agent, shows its activity and records it. */
export function addRunCommand(program: Command): void {
  const command = listedCommand(program, 'run');
  addVerboseOption(addStoreOptions(command))
    .argument('<agent>', 'coder, an external agent such as claude or codex, acp, demo, or one of your configuration')
    .argument(
      '[prompt]',
      'the prompt, in quotes; @path attaches a file; "-" reads it from standard input; none resumes an interrupted run, or delivers what waits',
    )
    .argument('[flags...]', 'after --: further flags for the agent itself')
    .option('--model <model>', 'the model to use, as the agent names it', notEmpty)
    .option('--cwd <folder>', 'the working directory', folder)
    .option('--timeout <time>', 'the time limit of the run, such as 10m', duration)
    .option('--idle-timeout <time>', 'the time limit without output, such as 5m', duration)
    .option(
      '--resume <thread>',
      'continue a thread: its id, the beginning of its id, or "last": the newest of this folder',
    )
    .option(
      '--continue <thread>',
      'hand a thread of any agent over to this one, named as for --resume; without a prompt it is asked to continue',
    )
    .option('--at <message>', 'continue a branch of the thread, after this message: its id, or the seq of an event')
    .option('--worktree', 'continue a branch of the thread in a git worktree of its own')
    .option('--attach <file>', 'a file for the agent: an image, a PDF or a text (repeatable)', collect)
    .option('--wait', 'without a terminal, wait for answers from elsewhere (singletree inbox) instead of denying')
    .option('--out <folder>', 'the folder for the record of the run', folderToWrite)
    .addOption(
      new Option(
        '--output <kind>',
        'the answer, one JSON value, the events, what was done, or what the program printed',
      )
        .choices(['text', 'json', 'events', 'activity', 'raw'] satisfies OutputKind[])
        .default('text'),
    )
    .option('--json', 'the same as --output json')
    .option('--env <name=value>', 'a variable for the agent; NAME alone passes yours (repeatable)', variable)
    .option('--mode <mode>', 'the mode of the agent, such as plan', notEmpty)
    .option('--permissions <file>', 'a JSON file with permission rules: what runs without asking')
    .option('--print', 'run the agent once without its interactive channel: it asks nothing')
    .option('--yolo', 'let the agent do everything without asking')
    .action(async (agent: string, given: string | undefined, flags: string[], options: RunCommandOptions) => {
      const unquoted = flags.slice(0, Math.max(0, flags.length - countAfterDashes(process.argv)));
      if (unquoted.length > 0) command.error(severalWords(agent, [given ?? '', ...unquoted]));
      const { continue: continued, ...rest } = options;
      if (continued !== undefined && options.resume !== undefined) command.error(resumedTwice);
      const isBranch = options.at !== undefined || options.worktree === true;
      if (isBranch && continued === undefined) command.error(branchOfNothing);
      const typed = given === '-' ? (await readAll(process.stdin)).trimEnd() : given;
      const prompt = typed ?? (continued === undefined ? undefined : continuePrompt);
      if (prompt === undefined ? options.resume === undefined : prompt.trim() === '') command.error(emptyPrompt);
      if (prompt === undefined && options.attach !== undefined) command.error(attachedToNothing);
      const { permissions: file, json, resume = continued, ...others } = rest;
      const permissions = file === undefined ? undefined : await permissionsIn(file, command);
      const { runAtTerminal } = await import('./run/run-at-terminal.ts');
      process.exitCode = await runAtTerminal(
        { name: agent, prompt, isPiped: given === '-', extraArgs: flags },
        {
          ...others,
          ...(resume !== undefined && { resume }),
          ...(permissions && { permissions }),
          ...(json === true && { output: 'json' }),
        },
      );
    });
}

interface RunCommandOptions extends Omit<RunAtTerminalOptions, 'permissions'> {
  /** The file of the rules. */
  readonly permissions?: string;
  readonly json?: boolean;
  /** The thread to hand over. */
  readonly continue?: string;
}

const continuePrompt = 'Continue where the conversation stopped.';

const branchOfNothing =
  'error: --at and --worktree continue a branch of a thread. Name the thread: --continue <thread>';

const resumedTwice = 'error: --continue and --resume both name a thread. Use one of them.';

const emptyPrompt =
  'error: the prompt is empty. Expected the prompt for the agent, in quotes, or "-" and the prompt on standard input; without one, --resume resumes an interrupted run.';

const attachedToNothing = 'error: --attach needs a prompt: an interrupted run is resumed with what it has.';

function severalWords(agent: string, words: readonly string[]): string {
  const quoted = `singletree run ${agent} ${JSON.stringify(words.join(' '))}`;
  return `error: the prompt is one argument: put it in quotes, as in ${quoted}. Arguments for ${agent} itself go after --, at the end.`;
}

function countAfterDashes(args: readonly string[]): number {
  const dashes = args.indexOf('--');
  return dashes < 0 ? 0 : args.length - dashes - 1;
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected a name');
  return text;
}

async function permissionsIn(file: string, command: Command): Promise<PermissionRuleSet> {
  const { parsePermissionRules } = await import('../agents/permissions/rule.ts');
  try {
    return parsePermissionRules(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    return command.error(`error: option '--permissions <file>' argument '${file}' is invalid. ${errorText(error)}`);
  }
}

function variable(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, given] = /^([A-Za-z_]\w*)(?:=([^]*))?$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected NAME=VALUE or NAME');
  const value = given ?? process.env[name];
  if (value === undefined) throw new InvalidArgumentError(`expected NAME=VALUE: ${name} is not set here`);
  return { ...before, [name]: value };
}

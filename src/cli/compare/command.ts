import { type Command, InvalidArgumentError } from 'commander';
import { listedCommand, subcommand } from '../command-list.ts';
import { addJsonOption, addStoreOptions, addVerboseOption, folder } from '../command-options.ts';

/** Adds `singletree compare`: several agents on one request. */
export function addCompareCommand(program: Command): void {
  addJsonOption(addVerboseOption(addStoreOptions(listedCommand(program, 'compare'))))
    .argument('<prompt>', 'what each agent is asked')
    .requiredOption('--agents <names>', 'two to six, separated by commas; coder@provider/model names a model', names)
    .option('--cwd <folder>', 'the folder to work on', folder, '.')
    .option('--branch <name>', 'the beginning of the branches (default: singletree)')
    .option('--no-uncommitted', 'begin with the newest commit, without the uncommitted changes of the folder')
    .option('--yolo', 'let the agents do everything without asking')
    .action(async (prompt, options) => {
      process.exitCode = await (await import('./compare.ts')).compareCommand(prompt, options);
    });
}

/** Adds `singletree worktrees`: the worktrees of comparisons. */
export function addWorktreesCommand(program: Command): void {
  const worktrees = () => import('./worktrees.ts');
  const command = addJsonOption(addStoreOptions(listedCommand(program, 'worktrees'))).action(async options =>
    (await worktrees()).listWorktrees(options),
  );
  const add = (name: string, description: string, example: string) =>
    addJsonOption(addStoreOptions(subcommand(command, name, { description, example })), 'result');
  add('keep', 'apply the changes of one to the folder it is a copy of', 'singletree worktrees keep claude-1')
    .argument('<worktree>', 'its name, or its thread')
    .action(async (name: string, _options: object, own: Command) =>
      (await worktrees()).keepWorktree(name, own.optsWithGlobals()),
    );
  add('remove', 'remove some; those with changes only with --force', 'singletree worktrees remove --clean')
    .argument('[worktrees...]', 'their names, or their threads')
    .option('--clean', 'all that have no changes, or whose changes were kept')
    .option('--force', 'also when changes are lost')
    .action(async (all: string[], _options: object, own: Command) =>
      (await worktrees()).removeWorktrees(all, own.optsWithGlobals()),
    );
}

interface NamedAgent {
  readonly agent: string;
  readonly model?: string;
}

function names(text: string): readonly NamedAgent[] {
  const all = text.split(',').map(each => each.trim());
  if (all.length < 2 || all.some(each => each === ''))
    throw new InvalidArgumentError('expected two or more agents, such as coder,claude');
  return all.map(each => {
    const [agent = '', ...model] = each.split('@');
    return model.length === 0 ? { agent } : { agent, model: model.join('@') };
  });
}

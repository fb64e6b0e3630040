import { type Command, InvalidArgumentError } from 'commander';
import { addStoreOptions } from '../store-options.ts';

const thread = ['[thread]', 'its id, the beginning of its id, or "last"', 'last'] as const;
const actions = () => import('./actions.ts');

/** Adds the commands that list, show, copy and remove threads. */
export function addThreadCommands(program: Command): void {
  const add = (name: string, description: string, example: string) => {
    const command = program.command(name).description(description);
    command.addHelpText('after', `\nExample: ${example}`);
    return addStoreOptions(command);
  };
  const json = (command: Command) => command.option('--json', 'print one JSON value per line');

  json(add('threads', 'list the newest threads', 'singletree threads --limit 5'))
    .option('--limit <number>', 'at most this many', count, 20)
    .action(async options => (await actions()).listThreads(options));
  json(add('show', 'print a thread', 'singletree show last --follow'))
    .argument(...thread)
    .option('-f, --follow', 'continue with what is added, until Ctrl-C')
    .action(async (id, options) => (await actions()).showThread(id, options));
  add('export', 'print the events of a thread, one on each line', 'singletree export last > thread.jsonl')
    .argument(...thread)
    .action(async (id, options) => (await actions()).exportCommand(id, options));
  json(add('import', 'make a thread from exported events', 'singletree import thread.jsonl'))
    .argument('<file>', 'the file, or "-" for standard input')
    .option('--title <title>', 'the title of the new thread')
    .action(async (file, options) => (await actions()).importCommand(file, options));
  json(add('branch', 'make a thread that continues another one from an event on', 'singletree branch last --at 12'))
    .argument(...thread)
    .option('--at <seq>', 'the last event that both share; the newest when absent', count)
    .option('--title <title>', 'the title of the new thread')
    .action(async (id, options) => (await actions()).branchCommand(id, options));
  add('rm', 'delete a thread', 'singletree rm 019a8f2c --yes')
    .argument('<thread>', thread[1])
    .option('-y, --yes', 'also when only the beginning of the id is given')
    .action(async (id, options) => (await actions()).removeCommand(id, options));
  json(add('graph', 'print the graph of a thread as a tree', 'singletree graph last'))
    .argument(...thread)
    .action(async (id, options) => (await actions()).graphCommand(id, options));
  for (const direction of ['undo', 'redo'] as const)
    json(
      add(
        direction,
        direction === 'undo'
          ? 'take the newest turn of the coding agent back: its conversation and the files it changed'
          : 'take up again what an undo took back',
        `singletree ${direction} last --preview`,
      ),
    )
      .argument(...thread)
      .option('--preview', 'only print what would happen')
      .option('--force', 'also rewind files that somebody else changed since')
      .option('--message <id>', 'with undo: the user message from which on everything is taken back')
      .action(async (id, options) => (await actions()).rewindCommand(direction, id, options));
}

function count(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('expected a whole number');
}

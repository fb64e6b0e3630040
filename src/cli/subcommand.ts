import type { Command } from 'commander';

/** Adds a command under another one, with its line of the help and its example. */
export function subcommand(
  parent: Command,
  usage: string,
  { description, example }: { readonly description: string; readonly example: string },
): Command {
  const command = parent.command(usage).description(description).addHelpText('after', `\nExample: ${example}`);
  return command.showHelpAfterError(`(see singletree ${parent.name()} ${command.name()} --help)`);
}

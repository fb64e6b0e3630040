#!/usr/bin/env node
import module from 'node:module';
import { Command, CommanderError } from 'commander';
import { SingletreeError } from '../base/singletree-error.ts';
import { addCommands, commandNames, listedCommand, withNamedCommand } from './command-list.ts';
import { packageVersion } from './package-version.ts';
import { handleClosedStreams, printNotice, standardError, standardOutput } from '../control/standard-output.ts';

// Node 22.1 and newer cache the compiled code of commands, which are loaded below; a failure to do so is ignored.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
handleClosedStreams();

const usageErrors = ['invalid_argument', 'invalid_config', 'thread_not_found', 'relay_not_found'] as const;
const program = new Command('singletree')
  .description('Run any AI agent and get one immutable event log: live, resumable, replayable, branching.')
  .version(packageVersion())
  .configureOutput({
    writeOut: text => void standardOutput.write(text),
    writeErr: text => void standardError.write(text),
  })
  // Descriptions break between words in narrow windows, too.
  .configureHelp({ minWidthToWrap: 12 })
  .exitOverride();
const args = withNamedCommand(process.argv.slice(2), commandNames);
const named = commandNames.find(name => name === (args[0] === 'help' ? args[1] : args[0]));
// The completion script lists every command.
if (named !== undefined) await addCommands(program, named === 'completion' ? commandNames : [named]);
const known: readonly string[] = program.commands.map(command => command.name());
for (const name of commandNames) if (!known.includes(name)) listedCommand(program, name);
program.showHelpAfterError(`(The commands are ${commandNames.join(', ')}: see singletree --help)`);
for (const command of program.commands) command.showHelpAfterError(`(see singletree ${command.name()} --help)`);

// A chat has its own listener and exits by itself.
process.on('uncaughtException', error => {
  if (process.listenerCount('uncaughtException') === 1) process.exit(toExitCode(error));
});

try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = toExitCode(error);
}

/**
 * Returns the exit code: 0 for help and version, 2 for an invalid command line or argument, 1 for a failure, which is
 * printed on stderr.
 */
function toExitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const text = SingletreeError.is(error)
    ? `${error.message} (${error.code})`
    : error instanceof Error
      ? 'syscall' in error
        ? error.message
        : (error.stack ?? error.message)
      : String(error);
  printNotice(text);
  return usageErrors.some(code => SingletreeError.is(error, code)) ? 2 : 1;
}

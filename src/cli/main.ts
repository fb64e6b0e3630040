#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { SingletreeError } from '../events/index.ts';
import { addAgentsCommand } from './agents.ts';
import { addConfigCommand } from './config.ts';
import { addCompletionCommand } from './completion.ts';
import { addDemoCommand } from './demo.ts';
import { addDoctorCommand } from './doctor.ts';
import { addModelsCommand } from './models.ts';
import { withNamedCommand } from './named-command.ts';
import { packageVersion } from './package-version.ts';
import { addRunCommand } from './run.ts';
import { addServeCommand } from './serve.ts';
import { addStoreCommand } from './store.ts';
import { addThreadCommands } from './threads/commands.ts';
import { addTranslateCommand } from './translate.ts';

const program = new Command('singletree')
  .description('Run any AI agent and get one immutable event log: live, resumable, replayable, branching.')
  .version(packageVersion())
  .exitOverride();
addServeCommand(program);
addRunCommand(program);
addAgentsCommand(program);
addTranslateCommand(program);
addDemoCommand(program);
addThreadCommands(program);
addModelsCommand(program);
addDoctorCommand(program);
addCompletionCommand(program);
addConfigCommand(program);
addStoreCommand(program);
const usageErrors = ['invalid_argument', 'invalid_config', 'thread_not_found', 'relay_not_found'] as const;
const commands = program.commands.map(command => command.name());
program.showHelpAfterError(`(The commands are ${commands.join(', ')}: see singletree --help)`);
for (const command of program.commands) command.showHelpAfterError(`(see singletree ${command.name()} --help)`);

try {
  await program.parseAsync(withNamedCommand(process.argv.slice(2), commands), { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/**
 * Returns the exit code: 0 for help and version, 2 for an invalid command line or argument, 1 for a failure, which is
 * printed on stderr.
 */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const text = SingletreeError.is(error)
    ? `${error.message} (${error.code})`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  console.error(`singletree: ${text}`);
  return usageErrors.some(code => SingletreeError.is(error, code)) ? 2 : 1;
}

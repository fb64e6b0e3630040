#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { SingletreeError } from '../events/index.ts';
import { addAgentsCommand } from './agents.ts';
import { addDemoCommand } from './demo.ts';
import { packageVersion } from './package-version.ts';
import { addRunCommand } from './run.ts';
import { addServeCommand } from './serve.ts';
import { addTranslateCommand } from './translate.ts';

const program = new Command('singletree')
  .description('Run any AI agent and get one immutable event log: live, resumable, replayable, branching.')
  .version(packageVersion())
  .showHelpAfterError('(see singletree --help)')
  .exitOverride();
addServeCommand(program);
addRunCommand(program);
addAgentsCommand(program);
addTranslateCommand(program);
addDemoCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** 0 for help and version, 2 for a command line that is not understood or asks for what cannot be, 1 for a failure, which is told on stderr. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const told = SingletreeError.is(error)
    ? `${error.message} (${error.code})`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  console.error(`singletree: ${told}`);
  return SingletreeError.is(error, 'invalid_argument') ? 2 : 1;
}

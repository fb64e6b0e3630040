const aboutTheProgram = ['-h', '--help', '-V', '--version'];

/**
 * Returns the command line with its command, by default `serve`. An unknown command is passed alone, so that the error
 * is about it and not about what follows it; help for it is rejected too.
 */
export function withNamedCommand(args: readonly string[], commands: readonly string[]): readonly string[] {
  const [first = '-', second] = args;
  if (first.startsWith('-')) return aboutTheProgram.includes(first) ? args : ['serve', ...args];
  const named = first === 'help' ? second : first;
  return named === undefined || named === 'help' || commands.includes(named) ? args : [named];
}

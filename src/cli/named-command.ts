const aboutTheProgram = ['-h', '--help', '-V', '--version'];

/**
 * The command line with its command: `serve` when none is named. A command that does not exist stands alone, so that it
 * is refused for that, not for what follows it, and help for it is refused too.
 */
export function withNamedCommand(args: readonly string[], commands: readonly string[]): readonly string[] {
  const [first = '-', second] = args;
  if (first.startsWith('-')) return aboutTheProgram.includes(first) ? args : ['serve', ...args];
  const named = first === 'help' ? second : first;
  return named === undefined || named === 'help' || commands.includes(named) ? args : [named];
}

import { isCommandName } from './shell-programs.ts';
import type { ShellWord } from './shell-word.ts';

/**
 * Whether an argument could be, or hold, a command for a program about which it is not known that it runs none: the name
 * of a command, a path to one, a script that starts one, or a text that only the shell knows.
 */
export function mayHoldCommand(word: ShellWord): boolean {
  return mayBecomeCommand(word) || [word.value, ...attachedTo(word.value)].some(startsCommand);
}

/** Whether the shell could make the name of a command of a word; it makes none of a file pattern such as `src/*.ts`. */
export function mayBecomeCommand({ open, namesFiles = false, value }: ShellWord): boolean {
  return open && !(namesFiles && /^(?![/~-])(?![^]*\.\.)[^]*[./]/.test(value));
}

/** What stands behind the `=` of `--pager=less` and `core.pager=less`, and behind the letter of `-Sless`. */
function attachedTo(value: string): string[] {
  const [, option, key] = /^(?:-\w([^]+)|[^=\s]+=([^]+))$/.exec(value) ?? [];
  return [option, key].filter(text => text !== undefined);
}

function startsCommand(text: string): boolean {
  const words = text.split(/[^\p{L}\p{M}\p{N}_./+:@%,~-]+/u).filter(word => word !== '');
  // Behind an operator, a bracket or a quote another command may start; behind a blank it does not.
  const hasSyntax = /[^\s\p{L}\p{M}\p{N}_./+:@%,~-]/u.test(text);
  return (hasSyntax ? words : words.slice(0, 1)).some(namesCommand);
}

function namesCommand(word: string): boolean {
  return word.includes('/') ? /^([/~]|.*\.\.\/).*\bs?bin\//.test(word) : isCommandName(word);
}

import { isCommandName } from '../../projections/shell/shell-programs.ts';
import type { ShellWord } from '../../projections/shell/shell-word.ts';

/**
 * Whether an argument could be, or contain, a command for a program that may run its arguments: the name of a command,
 * a path to one, a script that starts one, or a text that only the shell knows.
 */
export function mayHoldCommand(word: ShellWord): boolean {
  return mayBecomeCommand(word) || [word.value, ...attachedTo(word.value)].some(startsCommand);
}

/** Whether the shell could expand a word to the name of a command; a file pattern such as `src/*.ts` never is one. */
export function mayBecomeCommand({ open, namesFiles = false, value }: ShellWord): boolean {
  return open && !(namesFiles && /^(?![/~-])(?![^]*\.\.)[^]*[./]/.test(value));
}

/** Returns the part after the `=` of `--pager=less` and `core.pager=less`, and after the letter of `-Sless`. */
function attachedTo(value: string): string[] {
  const [, option, key] = /^(?:-\w([^]+)|[^=\s]+=([^]+))$/.exec(value) ?? [];
  return [option, key].filter(text => text !== undefined);
}

function startsCommand(text: string): boolean {
  const words = text.split(/[^\p{L}\p{M}\p{N}_./+:@%,~-]+/u).filter(word => word !== '');
  // After an operator, a bracket or a quote another command may start; after a blank it does not.
  const hasSyntax = /[^\s\p{L}\p{M}\p{N}_./+:@%,~-]/u.test(text);
  return (hasSyntax ? words : words.slice(0, 1)).some(namesCommand);
}

function namesCommand(word: string): boolean {
  return word.includes('/') ? /^([/~]|.*\.\.\/).*\bs?bin\//.test(word) : isCommandName(word);
}

import type { Assignment, CommandArgument, Word } from 'unbash';
import type { ShellWord } from './shell-word.ts';

const closedParts: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'AnsiCQuoted']);

/** Parses one argument or name of a parsed command. */
export function parseWord(argument: CommandArgument): ShellWord {
  if (argument.type === 'Assignment') return assignmentWord(argument);
  return { value: argument.value, open: isOpen(argument), tilde: argument.text.startsWith('~') };
}

function assignmentWord(assignment: Assignment): ShellWord {
  const { value } = assignment;
  if (value.type === 'ArrayValue' || assignment.index !== undefined)
    return { value: assignment.text, open: true, tilde: false };
  const operator = assignment.append ? '+=' : '=';
  const open = isOpen(value) || value.text.startsWith('~');
  return { value: `${assignment.name}${operator}${value.value}`, open, tilde: false };
}

function isOpen(word: Word): boolean {
  return (word.parts ?? []).some(part => {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString')
      return part.parts.some(child => child.type !== 'Literal');
    return !closedParts.has(part.type);
  });
}

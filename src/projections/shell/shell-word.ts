import type { Assignment, CommandArgument, Word } from 'unbash';

/** One word of a simple command, as the command would see it after quote removal. */
export interface ShellWord {
  readonly value: string;
  /**
   * Whether the shell still expands it (a variable, a substitution, a glob, braces): its value is not what will be
   * passed.
   */
  readonly open: boolean;
  /** It starts with an unquoted tilde. */
  readonly tilde: boolean;
  /** Whether it is open only because it names files, as in `src/*.ts`. */
  readonly namesFiles?: boolean;
}

const closedParts: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'AnsiCQuoted']);

/** Parses one argument or name of a parsed command. */
export function shellWord(argument: CommandArgument): ShellWord {
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

/** Whether the shell could expand a word to an option; a pattern or a `~` behind a plain beginning cannot. */
export function mayBecomeOption({ open, value }: ShellWord): boolean {
  return open && !/^[\w./][^$`]*$/.test(value);
}

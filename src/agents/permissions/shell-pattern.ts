import { type CommandPattern, isExact, parseCommandPattern } from './command-pattern.ts';
import { type Glob, isWild, matchesGlob, matchesWithin } from './glob.ts';
import type { Policy } from '../contract/permissions.ts';
import { actsBeyondReading } from './shell-acting.ts';
import { scriptOfShell } from '../../projections/shell/shell-carrier.ts';
import { readShellLine } from '../../projections/shell/shell-line.ts';
import { baseName, isSubcommand, kindOfProgram, isCommandName } from '../../projections/shell/shell-programs.ts';
import { type Found, type PossibleCommand, type Reach, getReach, mayBecomeCommand } from './shell-reach.ts';
import { readStrictly, type StrictLine } from '../../projections/shell/strict-line.ts';
import type { StrictWord } from '../../projections/shell/strict-word.ts';
import type { ShellWord } from '../../projections/shell/shell-word.ts';

const maxDepth = 4;

/**
 * Whether a command pattern matches a command line; never throws. To `allow`, it must match every simple command of a
 * line that is understood completely; to `deny` or `ask`, it is enough that it matches one that the line could run,
 * with any further arguments. An invalid pattern allows nothing and guards everything.
 */
export function matchCommand(pattern: string, commandLine: string, policy: Policy = 'allow'): boolean {
  let parsed: CommandPattern;
  try {
    parsed = parseCommandPattern(pattern);
  } catch {
    return policy !== 'allow';
  }
  if (policy === 'allow') return allowsLine([parsed], readStrictly(commandLine));
  return guardsReach(parsed, getReach(readShellLine(commandLine))) === 'matches';
}

/** Whether the line is understood, touches no file, and every simple command of it matches one of the patterns. */
export function allowsLine(patterns: readonly CommandPattern[], line: StrictLine | undefined, depth = 0): boolean {
  if (line === undefined || line.usesFiles || line.commands.length === 0) return false;
  return line.commands.every(({ words, assigned }) => {
    if (assigned.length > 0) return false;
    if (patterns.some(pattern => allowsCommand(pattern, words))) return true;
    const script = scriptOfShell(words);
    return script !== undefined && depth < maxDepth && allowsLine(patterns, readStrictly(script), depth + 1);
  });
}

/** Whether a pattern that denies or asks matches what a line runs: for certain, perhaps, or not. */
export type Guarding = 'matches' | 'may' | 'no';

/** Whether the pattern matches a command that the line runs; `may` when only an unknown program would run it. */
export function guardsReach(pattern: CommandPattern, { certain, possible }: Reach): Guarding {
  if (guardsFound(pattern, certain)) return 'matches';
  return guardsFound(pattern, possible) ? 'may' : 'no';
}

function guardsFound(pattern: CommandPattern, { commands, texts }: Found): boolean {
  if (commands.some(command => guardsCommand(pattern, command))) return true;
  return [...texts].some(text => occursIn(pattern.words[0].glob, text));
}

function allowsCommand(pattern: CommandPattern, words: readonly StrictWord[]): boolean {
  const [name, ...rest] = pattern.words;
  if (isWild(name.glob) || name.tilde || name.glob[0] !== words[0]?.value) return false;
  if (pattern.further ? words.length < pattern.words.length : words.length !== pattern.words.length) return false;
  const isMatched = rest.every((expected, index) => {
    const word = words[index + 1];
    return (
      word !== undefined && !word.open && word.tilde === expected.tilde && matchesWithin(expected.glob, word.value)
    );
  });
  return isMatched && (isExact(pattern) || mayLeaveOpen(pattern, words));
}

/** Whether the words matched by a `*` are only arguments, and the program does not act on them. */
function mayLeaveOpen(pattern: CommandPattern, words: readonly StrictWord[]): boolean {
  const isNamed = (index: number) => {
    const expected = pattern.words[index];
    return expected !== undefined && !isWild(expected.glob);
  };
  if (actsBeyondReading(words, isNamed)) return false;
  const kind = kindOfProgram(words);
  if (kind === 'inert') return true;
  if (kind === 'shell') return namesScript(pattern);
  if (kind === 'runner' || kind === 'builtin') return false;
  return words.every((word, index) => {
    if (isNamed(index)) return true;
    const isOwnWord = kind === 'tool' && index === 1 && !word.open && isSubcommand(words[0]?.value ?? '', word.value);
    return isOwnWord || !mayHoldCommand(word);
  });
}

/** `bash build.sh *`: the first argument is a file and no option. */
function namesScript({ words: [, script] }: CommandPattern): boolean {
  return script !== undefined && !isWild(script.glob) && !script.glob[0].startsWith('-');
}

function guardsCommand(pattern: CommandPattern, { words, start }: PossibleCommand): boolean {
  for (const [index, expected] of pattern.words.entries()) {
    const word = words[start + index];
    if (word === undefined) return false;
    if (word.open) return index > 0;
    if (!(index === 0 ? matchesName(expected.glob, word.value) : matchesGlob(expected.glob, word.value))) return false;
  }
  return true;
}

/** File systems may ignore case, and a path names the same program. */
function matchesName(glob: Glob, name: string): boolean {
  const [first, ...rest] = glob.map(piece => piece.toLowerCase());
  const lower: Glob = [first ?? '', ...rest];
  const value = name.toLowerCase();
  return matchesGlob(lower, value) || matchesGlob(lower, baseName(value));
}

function occursIn(name: Glob, text: string): boolean {
  const unquoted = text.replace(/\\\n|['"\\]/g, '');
  return [text, unquoted].some(text =>
    [...text.split(/[^\p{L}\p{N}_./+:@%^-]+/u), ...text.split(/\W+/)].some(
      word => word !== '' && matchesName(name, word),
    ),
  );
}

/**
 * Whether an argument could be, or contain, a command for a program that may run its arguments: the name of a command,
 * a path to one, a script that starts one, or a text that only the shell knows.
 */
function mayHoldCommand(word: ShellWord): boolean {
  return mayBecomeCommand(word) || [word.value, ...attachedTo(word.value)].some(startsCommand);
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

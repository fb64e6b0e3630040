import { type CommandPattern, isExact, parseCommandPattern } from './command-pattern.ts';
import { type Glob, isWild, matchesGlob, matchesWithin } from './glob.ts';
import type { Policy } from './rule.ts';
import { baseName, isShell, isWrapper, scriptOfShell } from './shell-carrier.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import { type PossibleCommand, type Reach, reachOf } from './shell-reach.ts';
import type { ShellWord } from './shell-word.ts';

const maxDepth = 4;

/**
 * Whether a command pattern speaks about a command line; never throws. To `allow`, it must match every simple command
 * of a line that can be judged completely; to `deny` or `ask`, it is enough that it matches one that the line could run,
 * with whatever further arguments. A pattern that cannot be read allows nothing and guards everything.
 */
export function matchCommand(pattern: string, commandLine: string, policy: Policy = 'allow'): boolean {
  let parsed: CommandPattern;
  try {
    parsed = parseCommandPattern(pattern);
  } catch {
    return policy !== 'allow';
  }
  const line = readShellLine(commandLine);
  return policy === 'allow' ? allowsLine([parsed], line) : guardsReach(parsed, reachOf(line));
}

/** Whether every simple command of the line matches one of the patterns, and nothing in the line is beyond judgement. */
export function allowsLine(patterns: readonly CommandPattern[], line: ShellLine, depth = 0): boolean {
  if (!line.plain || line.commands.length === 0) return false;
  return line.commands.every(({ words, assigns }) => {
    if (assigns || words.length === 0) return false;
    if (patterns.some(pattern => allowsCommand(pattern, words))) return true;
    const script = scriptOfShell(words);
    return script !== undefined && depth < maxDepth && allowsLine(patterns, readShellLine(script), depth + 1);
  });
}

/** Whether the pattern matches a command that could run, or its name occurs where that is not certain. */
export function guardsReach(pattern: CommandPattern, reach: Reach): boolean {
  if (reach.commands.some(command => guardsCommand(pattern, command))) return true;
  return reach.unsure.some(text => occursIn(pattern.words[0].glob, text));
}

function allowsCommand(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  const [name, ...rest] = pattern.words;
  if (isWild(name.glob) || name.tilde || name.glob[0] !== words[0]?.value) return false;
  if (isWrapper(words) && !isExact(pattern)) return false;
  if (isShell(words) && !isExact(pattern) && !namesScript(pattern)) return false;
  if (pattern.further ? words.length < pattern.words.length : words.length !== pattern.words.length) return false;
  return rest.every((expected, index) => {
    const word = words[index + 1];
    return (
      word !== undefined && !word.open && word.tilde === expected.tilde && matchesWithin(expected.glob, word.value)
    );
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

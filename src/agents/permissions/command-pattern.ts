import { parse, type Word } from 'unbash';
import { SingletreeError } from '../../base/singletree-error.ts';
import { type Glob, isWild } from './glob.ts';

/** One word of a command pattern. */
export interface PatternWord {
  readonly glob: Glob;
  readonly tilde: boolean;
}

/** A shell command with wildcards, as `npm test *`. */
export interface CommandPattern {
  /** The name and the arguments, without a last `*`. */
  readonly words: readonly [PatternWord, ...PatternWord[]];
  /** It ends in a whole word `*`: any further arguments. */
  readonly further: boolean;
}

const maxLength = 4096;

/**
 * Parses a pattern: one simple command whose words compare after quote removal. `*` inside a word is any characters of
 * that word, a last word `*` is any further arguments; a quoted or escaped `*` is a star. Throws
 * `invalid_permission_rule` for anything else.
 */
export function parseCommandPattern(text: string): CommandPattern {
  const words = simpleWords(text).map(word => patternWord(word, text));
  const last = words.at(-1);
  const further = last !== undefined && words.length > 1 && isAnything(last);
  if (further) words.pop();
  const [name, ...rest] = words;
  if (name === undefined) throw invalid(text, 'it is empty');
  return { words: [name, ...rest], further: further || isAnything(name) };
}

/** Whether every word of the pattern is literal and no further arguments are allowed. */
export function isExact(pattern: CommandPattern): boolean {
  return !pattern.further && pattern.words.every(word => !isWild(word.glob));
}

function simpleWords(text: string): Word[] {
  if (text.length > maxLength) throw invalid(text.slice(0, 80), `it is longer than ${maxLength} characters`);
  const script = parse(text);
  const [statement, ...others] = script.commands;
  if ((script.errors?.length ?? 0) > 0) throw invalid(text, script.errors?.[0]?.message ?? 'it cannot be parsed');
  const command = statement?.command;
  if (command === undefined) throw invalid(text, 'it is empty');
  if (others.length > 0 || command.type !== 'Command' || statement?.background)
    throw invalid(text, 'it is more than one simple command');
  if (command.name === undefined || command.prefix.length > 0)
    throw invalid(text, 'it starts with an assignment or a redirect');
  return [command.name, ...command.suffix.map(part => plainArgument(part, text))];
}

function plainArgument(part: { readonly type: string }, text: string): Word {
  if (part.type === 'Word') return part as Word;
  if (part.type === 'Assignment') throw invalid(text, 'quote an argument that looks like an assignment');
  throw invalid(text, 'it has a redirect');
}

function patternWord(word: Word, text: string): PatternWord {
  const pieces: string[] = [''];
  const add = (value: string) => void pieces.push((pieces.pop() ?? '') + value);
  for (const part of word.parts ?? [{ type: 'Literal', value: word.value } as const]) {
    if (part.type === 'Glob' && part.kind === 'star') pieces.push('');
    else if (part.type === 'Glob' && part.kind === 'question') add(part.value);
    else if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') add(part.value);
    else if (part.type === 'DoubleQuoted')
      for (const child of part.parts) {
        if (child.type !== 'Literal') throw invalid(text, 'it has an expansion');
        add(child.value);
      }
    else throw invalid(text, 'it has an expansion, brackets or braces: quote them to mean them literally');
  }
  const [first = '', ...rest] = pieces;
  return { glob: [first, ...rest], tilde: word.text.startsWith('~') };
}

function isAnything({ glob }: PatternWord): boolean {
  return isWild(glob) && glob.every(piece => piece === '');
}

function invalid(pattern: string, problem: string): SingletreeError {
  return new SingletreeError(
    'invalid_permission_rule',
    `The command pattern ${JSON.stringify(pattern)} is invalid: ${problem}. Expected one simple command such as "git status" or "npm test *".`,
    { details: { pattern, problem } },
  );
}

import { type Cursor, readWord, type StrictWord, take, UncertainShell } from './strict-word.ts';

/** One simple command. */
export interface StrictCommand {
  /** The name, which is never open, and the arguments; empty when there are only assignments. */
  readonly words: readonly StrictWord[];
  /** The assignments before the name. */
  readonly assigned: readonly StrictWord[];
}

/** A completely understood command line. */
export interface StrictLine {
  /** All commands that the shell runs, including those in substitutions. */
  readonly commands: readonly StrictCommand[];
  /** Whether a redirect names a file other than `/dev/null`. */
  readonly usesFiles: boolean;
  /** The words and operators in order, when nothing is expanded, assigned or redirected. */
  readonly tokens: readonly (readonly string[] | string)[] | undefined;
}

interface Draft {
  readonly commands: StrictCommand[];
  readonly tokens: (readonly string[] | string)[];
  usesFiles: boolean;
  literal: boolean;
}

const maxLength = 65_536;
const maxDepth = 50;

/** Characters that are invisible, or that shells, terminals and encodings treat differently. */
const deceptive = /(?![\n\t ])[\p{C}\p{Z}]|[^\0-\x7f]\\/u;

const reserved: ReadonlySet<string> = new Set(
  (
    'if then else elif fi do done case esac while until for foreach end select function time coproc in repeat ' +
    'nocorrect noglob'
  ).split(' '),
);

const boundary = '(?=[ \\t\\n;|)]|&(?!>)|$)';
const afterWord = new RegExp(boundary, 'y');
const joinsDescriptors = new RegExp(`[0-9]?>&[0-9]${boundary}`, 'y');
const namesFile = /(?:[0-9]?(?:>>?|<)|&>>?)[ \t]*/y;
const comment = /#[\p{L}\p{N} \t_.,:/@%+=-]*(?=\n|$)/uy;

/**
 * Parses a line character by character in the part of the shell language that sh, bash, dash and zsh understand in the
 * same way: lists, pipelines, groups and subshells of simple commands; words of plain characters, quotes, `$name`,
 * `$(…)`, braces and file patterns; assignments; redirects to and from files. Returns `undefined` for any other text.
 */
export function readStrictly(text: string): StrictLine | undefined {
  if (text.length > maxLength || deceptive.test(text)) return undefined;
  const draft: Draft = { commands: [], tokens: [], usesFiles: false, literal: true };
  const cursor: Cursor = { text, at: 0, depth: 0, nested: 0 };
  try {
    readList(cursor, draft, undefined);
  } catch (error) {
    if (error instanceof UncertainShell) return undefined;
    throw error;
  }
  const { commands, usesFiles, tokens, literal } = draft;
  return { commands, usesFiles, tokens: literal ? tokens : undefined };
}

type Closer = ')' | '}' | undefined;

function readList(cursor: Cursor, draft: Draft, closer: Closer): void {
  if (++cursor.depth > maxDepth) throw new UncertainShell();
  for (let mayClose = closer === undefined; ; mayClose = true) {
    skipBlankLines(cursor);
    if (mayClose && isClosed(cursor, closer)) break;
    readStatement(cursor, draft);
    if (readEnd(cursor, draft)) continue;
    if (closer !== '}' && isClosed(cursor, closer)) break;
    throw new UncertainShell();
  }
  cursor.depth -= 1;
}

/** Moves past the end of a list; at the end of a text there is nothing to close. */
function isClosed(cursor: Cursor, closer: Closer): boolean {
  if (closer === undefined) return cursor.at === cursor.text.length;
  return cursor.text[cursor.at] === closer && take(cursor, /[)}]/y) !== undefined;
}

function readStatement(cursor: Cursor, draft: Draft): void {
  for (let operator: string | undefined = '&&'; operator !== undefined; operator = readJoint(cursor, draft)) {
    if (operator !== '|' && take(cursor, /!(?=[ \t])/y) !== undefined) draft.tokens.push('!');
    readCommand(cursor, draft);
  }
}

/** Reads what joins two commands into one statement, up to the second one. */
function readJoint(cursor: Cursor, draft: Draft): string | undefined {
  skipBlanks(cursor);
  const operator = take(cursor, /&&|\|\||\|(?!&)/y);
  if (operator === undefined) return undefined;
  draft.tokens.push(operator);
  if (cursor.nested === 0) while (take(cursor, /[ \t]*\n/y) !== undefined);
  skipBlanks(cursor);
  return operator;
}

/** Reads the end of a statement; returns `false` when the cursor is not at one. */
function readEnd(cursor: Cursor, draft: Draft): boolean {
  readComment(cursor);
  const found = take(cursor, /\n|;(?![;&|])|&(?![&>!|])/y);
  draft.tokens.push(found === '&' ? '&' : ';');
  return found !== undefined;
}

function readCommand(cursor: Cursor, draft: Draft): void {
  skipBlanks(cursor);
  const opener = take(cursor, /\((?!\()|\{(?=[ \t\n])/y);
  if (opener === undefined) return readSimpleCommand(cursor, draft);
  draft.tokens.push(opener);
  const closer = opener === '(' ? ')' : '}';
  readList(cursor, draft, closer);
  draft.tokens.push(closer);
  if (take(cursor, afterWord) === undefined) throw new UncertainShell();
  do skipBlanks(cursor);
  while (readRedirect(cursor, draft));
}

function readSimpleCommand(cursor: Cursor, draft: Draft): void {
  const words: StrictWord[] = [];
  const assigned: StrictWord[] = [];
  let mustEnd = false;
  for (skipBlanks(cursor); !isAtEnd(cursor); skipBlanks(cursor)) {
    // In sh, `&>` ends the command, and a word after it starts another one.
    mustEnd ||= cursor.text[cursor.at] === '&';
    if (readRedirect(cursor, draft)) continue;
    if (mustEnd) throw new UncertainShell();
    const word = readBounded(cursor, draft);
    const isAssignment = words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(word.source);
    (isAssignment ? assigned : words).push(word);
  }
  const [name, ...args] = words;
  if (name === undefined && assigned.length === 0) throw new UncertainShell();
  const named = name === undefined ? [] : [commandName(name)];
  if (assigned.length > 0 || [...named, ...args].some(word => word.open || word.tilde)) draft.literal = false;
  draft.commands.push({ words: [...named, ...args], assigned });
  draft.tokens.push([...named, ...args].map(word => word.value));
}

/** The name must be known, and must not be a reserved word. */
function commandName(word: StrictWord): StrictWord {
  if (word.source === '[') return { ...word, open: false, namesFiles: false };
  const isKnown = !word.open && !word.tilde && /^[\p{L}\p{M}\p{N}_./+:@%,-]+$/u.test(word.value);
  if (!isKnown || reserved.has(word.value)) throw new UncertainShell();
  return word;
}

function readRedirect(cursor: Cursor, draft: Draft): boolean {
  if (take(cursor, joinsDescriptors) === undefined) {
    if (take(cursor, namesFile) === undefined) return false;
    if (readBounded(cursor, draft).source !== '/dev/null') draft.usesFiles = true;
  }
  draft.literal = false;
  return true;
}

function readBounded(cursor: Cursor, draft: Draft): StrictWord {
  const word = readWord(cursor, inner => readSubstitution(inner, draft));
  if (take(cursor, afterWord) === undefined) throw new UncertainShell();
  return word;
}

function readSubstitution(cursor: Cursor, draft: Draft): void {
  const inner: Draft = { ...draft, tokens: [] };
  readList(cursor, inner, ')');
  draft.usesFiles ||= inner.usesFiles;
  draft.literal = false;
}

function isAtEnd({ text, at }: Cursor): boolean {
  const char = text[at];
  return char === undefined || /[\n;|)#]/.test(char) || (char === '&' && text[at + 1] !== '>');
}

/** A continued line counts as a blank only after a blank, and a comment does not start after it. */
function skipBlanks(cursor: Cursor): void {
  while (take(cursor, /[ \t]+|(?<=[ \t])\\\n(?!#)/y) !== undefined)
    if (cursor.nested > 0 && cursor.text[cursor.at - 1] === '\n') throw new UncertainShell();
}

function skipBlankLines(cursor: Cursor): void {
  do {
    skipBlanks(cursor);
    readComment(cursor);
  } while (cursor.nested === 0 && take(cursor, /\n/y) !== undefined);
}

/** A comment is accepted only where it begins after a blank and would be harmless in a shell without comments. */
function readComment(cursor: Cursor): void {
  const before = cursor.text[cursor.at - 1];
  if (cursor.nested === 0 && (before === undefined || /[ \t\n]/.test(before))) take(cursor, comment);
}

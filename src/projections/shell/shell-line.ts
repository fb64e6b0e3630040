import { type Assignment, type Command, forEachChild, parse, type SyntaxNode } from 'unbash';
import { isDoubtful } from './shell-node.ts';
import { parseWord } from './parse-word.ts';
import type { ShellWord } from './shell-word.ts';
import { readStrictly, type StrictLine } from './strict-line.ts';

/** One simple command of a line, wherever in the line it stands. */
export interface SimpleCommand {
  /** The name and the arguments; empty when there is only an assignment or a redirect. */
  readonly words: readonly ShellWord[];
  /** The assignments before the name. */
  readonly assigned: readonly ShellWord[];
}

/** What a command line could run. */
export interface ShellLine {
  readonly text: string;
  /** The line as the strict reader understands it; only that can be allowed. Absent when it is not certain. */
  readonly strict: StrictLine | undefined;
  /** Every simple command that either reader finds, including those inside substitutions, loops and functions. */
  readonly commands: readonly SimpleCommand[];
  /** The bodies of here-documents and here-strings. */
  readonly inputs: readonly string[];
  /** The files that redirects write, also in substitutions, loops and functions. */
  readonly written: readonly ShellWord[];
  /** Whether the parser is certain that the commands are complete: names need not be searched in the text. */
  readonly sure: boolean;
}

const maxLength = 262_144;
/**
 * The limit of length times opening brackets: the parser's time grows with it, and this much takes a fraction of a
 * second.
 */
const maxWork = 4_000_000;
const opening = /[({[<`]/g;

/** Characters that are invisible, or that shells, terminals and encodings treat differently. */
const deceptive = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;

/** Operators that write the file after them; `>&` has a descriptor there. */
const writing = /^(?:&?>>?|>\||<>)$/;

/** Parses a command line for the rules; never throws. */
export function readShellLine(text: string): ShellLine {
  const strict = readStrictly(text);
  const lost: ShellLine = { text, strict, commands: strict?.commands ?? [], inputs: [], written: [], sure: false };
  if (text.length > maxLength || text.length * (text.match(opening)?.length ?? 0) > maxWork) return lost;
  try {
    return collect(text, strict);
  } catch {
    return lost; // The parser gives up on it: the line counts as not understood.
  }
}

function collect(text: string, strict: StrictLine | undefined): ShellLine {
  const commands: SimpleCommand[] = [];
  const inputs: string[] = [];
  const written: ShellWord[] = [];
  let sure = !deceptive.test(text);
  const nodes: SyntaxNode[] = [parse(text)];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isDoubtful(node)) sure = false;
    if (node.type === 'Command') commands.push(simpleCommand(node));
    if (node.type === 'HereDocBody') inputs.push(node.text);
    if (node.type === 'Redirect' && node.target && writing.test(node.operator)) written.push(parseWord(node.target));
    if (node.type === 'HereString' && node.target) inputs.push(node.target.value);
    forEachChild(node, child => nodes.push(child));
  }
  if (commands.some(command => isNameless(command))) sure = false;
  return { text, strict, commands: together(strict?.commands ?? [], commands), inputs, written, sure };
}

function simpleCommand(node: Command): SimpleCommand {
  const words = node.name === undefined ? [] : [node.name, ...node.args];
  const assignments = node.prefix.filter((part): part is Assignment => part.type === 'Assignment');
  return { words: words.map(parseWord), assigned: assignments.map(parseWord) };
}

/** The command's name is known only once the shell has expanded it. */
function isNameless({ words: [name] }: SimpleCommand): boolean {
  return name !== undefined && (name.open || name.tilde);
}

/** Returns the commands of both readers, without those of the second that the first found too. */
function together(commands: readonly SimpleCommand[], others: readonly SimpleCommand[]): SimpleCommand[] {
  const key = ({ words }: SimpleCommand) => JSON.stringify(words.map(word => word.value));
  const known = new Set(commands.map(key));
  return [...commands, ...others.filter(command => !known.has(key(command)))];
}

import { type Assignment, type Command, forEachChild, parse, type SyntaxNode } from 'unbash';
import { parseWord } from './parse-word.ts';
import { scriptOfShell } from './shell-carrier.ts';
import type { ShellWord } from './shell-word.ts';
import { readStrictly, type StrictLine } from './strict-line.ts';

type NodeOf<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>;
type Tests = { readonly [Type in SyntaxNode['type']]?: (node: NodeOf<Type>) => boolean };

/** Nodes that contain more than their children show, or have another meaning in another shell. */
const doubtful: Tests = {
  Script: node => (node.errors?.length ?? 0) > 0,
  CommandExpansion: node => node.script === undefined,
  ProcessSubstitution: node => node.script === undefined,
  ArithmeticCommandExpansion: node => node.script === undefined,
  ArithmeticExpansion: node => node.expression === undefined,
  AnsiCQuoted: node => node.text.includes("\\'"),
  HereDoc: node => node.closing === undefined || !/^(['"]?)\w+\1$/.test(node.delimiter?.text ?? ''),
  ArithmeticCommand: always,
  Transform: always,
  Unknown: always,
};

/** Whether a node may run more than the commands found under it. */
function isDoubtful(node: SyntaxNode): boolean {
  const found = doubtful[node.type] as ((node: SyntaxNode) => boolean) | undefined;
  return found?.(node) ?? false;
}

function always(): boolean {
  return true;
}

/** One simple command of a line, at any position or nesting. */
export interface SimpleCommand {
  /** The name and the arguments; empty when there is only an assignment or a redirect. */
  readonly words: readonly ShellWord[];
  /** The assignments before the name. */
  readonly assigned: readonly ShellWord[];
}

/** The commands that a command line could run. */
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

/** Returns the script of a line that only starts a shell for it, as in `/bin/bash -lc '…'`; undefined for any other. */
export function scriptOfLine(line: string): string | undefined {
  const strict = readStrictly(line);
  const [command, ...others] = strict?.commands ?? [];
  if (strict === undefined || command === undefined || others.length > 0 || strict.usesFiles) return undefined;
  return command.assigned.length === 0 ? scriptOfShell(command.words) : undefined;
}

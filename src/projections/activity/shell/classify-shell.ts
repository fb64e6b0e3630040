import {
  type Assignment,
  type Command,
  type CommandArgument,
  type CommandNode,
  parse,
  type PipelineNode,
  type Redirection,
  type Statement,
  type Word,
} from 'unbash';
import type { Operation } from '../activity.ts';
import { resolvePath } from '../path.ts';
import { cat, type FileCommand, find, grep, head, isFilter, ls, nl, rg, sed, tail } from './read-commands.ts';

const closedParts: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'AnsiCQuoted']);
const harmlessOperators: ReadonlySet<string> = new Set(['>', '>>', '<', '&>', '&>>']);
const transparent: ReadonlySet<string> = new Set(['sudo', 'env', 'command']);

/**
 * The words of a simple command as it will see them, without assignments and `sudo` before it; undefined when the shell
 * still expands one of them, or when a redirect touches a file.
 */
export function plainWords(command: Command): string[] | undefined {
  if (command.name === undefined || !command.redirects.every(isHarmless)) return undefined;
  for (const part of command.prefix)
    if (part.type === 'Assignment' && argumentText(part) === undefined) return undefined;
  const words: string[] = [];
  for (const argument of [command.name, ...command.args]) {
    const text = argumentText(argument);
    if (text === undefined) return undefined;
    words.push(text);
  }
  while (words.length > 1 && transparent.has(words[0] as string)) {
    words.shift();
    while (/^\w+=/.test(words[0] ?? '')) words.shift();
    if (words[0]?.startsWith('-')) return undefined;
  }
  return words.length === 0 ? undefined : words;
}

/** The script of `bash -lc '…'` and its like. */
export function innerScript([shell = '', ...rest]: readonly string[]): string | undefined {
  if (!/^(?:\/\S*\/)?(?:ba|z|da|k)?sh$/.test(shell)) return undefined;
  const script = rest.pop();
  return /^(?:-c|-lc|-cl|-l -c)$/.test(rest.join(' ')) ? script : undefined;
}

function argumentText(argument: CommandArgument): string | undefined {
  if (argument.type === 'Assignment') return assignmentText(argument);
  return isClosed(argument) ? argument.value : undefined;
}

function assignmentText({ name, value, append, index }: Assignment): string | undefined {
  if (value.type === 'ArrayValue' || append || index !== undefined || !isClosed(value)) return undefined;
  return `${name}=${value.value}`;
}

function isClosed(word: Word): boolean {
  if (word.text.startsWith('~')) return false;
  return (word.parts ?? []).every(part =>
    part.type === 'DoubleQuoted' ? part.parts.every(child => child.type === 'Literal') : closedParts.has(part.type),
  );
}

/** It joins two descriptors or names `/dev/null`. */
function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return false;
  const target = redirect.target.text;
  if (redirect.operator === '>&' || redirect.operator === '<&') return /^\d$/.test(target) || target === '/dev/null';
  return harmlessOperators.has(redirect.operator) && target === '/dev/null';
}

const fileCommands: Readonly<Record<string, FileCommand>> = { cat, sed, head, tail, nl, rg, grep, find, ls };

/** The operations of a command line that only reads, searches and lists files. */
export interface ShellActivity {
  readonly operations: readonly Operation[];
  /** Whether success of the line is success of every operation, and not only of the last. */
  readonly allOrNothing: boolean;
  /** Whether an exit code of 1 means that a search found no match. */
  readonly oneMeansNoMatch: boolean;
}

const maxLength = 65_536;
/** Length times opening brackets: the parser's time grows with it. */
const maxWork = 1_000_000;
const maxDepth = 3;

/** The file operations of a command line; undefined when it is, or may be, anything else. Never throws. */
export function classifyShell(line: string): ShellActivity | undefined {
  const script = guardedParse(line);
  if (script === undefined) return undefined;
  const found = new Classifier();
  if (!found.statements(script, 0) || found.operations.length === 0) return undefined;
  const [only] = found.operations.length === 1 ? found.operations : [];
  const oneMeansNoMatch = only?.type === 'search' && found.last !== 'find';
  return { operations: found.operations, allOrNothing: found.allOrNothing, oneMeansNoMatch };
}

/** Whether a command line may leave its shell in another folder. */
export function changesFolder(line: string): boolean {
  return /(?:^|[\s;&|(])(?:cd|pushd|popd)(?:\s|$)/.test(line);
}

function guardedParse(line: string): readonly Statement[] | undefined {
  if (line.length > maxLength || line.length * (line.match(/[({[<`]/g)?.length ?? 0) > maxWork) return undefined;
  try {
    const script = parse(line);
    return (script.errors?.length ?? 0) > 0 ? undefined : script.commands;
  } catch {
    return undefined; // The parser gives up on it.
  }
}

/** Collects operations in order; every method returns whether it understood its argument. */
class Classifier {
  readonly operations: Operation[] = [];
  allOrNothing = true;
  last = '';
  #folder: string | undefined;

  statements(statements: readonly Statement[], depth: number): boolean {
    if (statements.length > 1) this.allOrNothing = false;
    return statements.every(({ command, background }) => {
      if (background === true) return false;
      if (command.type !== 'AndOr') return this.#pipeline(command, depth);
      return (
        command.operators.every(operator => operator === '&&') &&
        command.commands.every(part => this.#pipeline(part, depth))
      );
    });
  }

  #pipeline(node: PipelineNode, depth: number): boolean {
    if (node.type !== 'Pipeline') return this.#command(node, depth);
    const [first, ...rest] = node.commands;
    if (first === undefined || node.prefixes.length > 0) return false;
    return rest.every(isFilterCommand) && this.#command(first, depth);
  }

  #command(node: CommandNode, depth: number): boolean {
    const words = node.type === 'Command' ? plainWords(node) : undefined;
    if (words === undefined) return false;
    const script = innerScript(words);
    if (script !== undefined) return this.#inner(script, depth);
    const [name = '', ...args] = words;
    if (name === 'cd') return this.#enter(args);
    const operations = Object.hasOwn(fileCommands, name) ? (fileCommands[name] as FileCommand)(args) : undefined;
    if (operations === undefined) return false;
    this.last = name;
    for (const operation of operations) this.operations.push(this.#inFolder(operation));
    return true;
  }

  #inner(script: string, depth: number): boolean {
    const statements = depth < maxDepth ? guardedParse(script) : undefined;
    const folder = this.#folder;
    const understood = statements !== undefined && this.statements(statements, depth + 1);
    this.#folder = folder;
    return understood;
  }

  #enter([folder, ...rest]: readonly string[]): boolean {
    if (folder === undefined || folder === '-' || rest.length > 0) return false;
    this.#folder = resolvePath(this.#folder, folder);
    return true;
  }

  #inFolder(operation: Operation): Operation {
    if (this.#folder === undefined || operation.type === 'command' || operation.type === 'orchestration')
      return operation;
    return { ...operation, path: resolvePath(this.#folder, operation.path ?? '.') };
  }
}

function isFilterCommand(node: CommandNode): boolean {
  const words = node.type === 'Command' ? plainWords(node) : undefined;
  return words !== undefined && isFilter(words);
}

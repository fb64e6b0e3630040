import { forEachChild, type Command, type ParsedScript, parse, type SyntaxNode } from 'unbash';
import { isDoubtful, isPlain } from './shell-node.ts';
import { type ShellWord, shellWord } from './shell-word.ts';

/** One simple command of a line, wherever in the line it stands. */
export interface SimpleCommand {
  /** The name and the arguments; empty when there is only an assignment or a redirect. */
  readonly words: readonly ShellWord[];
  readonly assigns: boolean;
}

/** What a command line would run. */
export interface ShellLine {
  readonly text: string;
  /** Every simple command, those inside substitutions, subshells, loops and functions included. */
  readonly commands: readonly SimpleCommand[];
  /** The bodies of here-documents and here-strings. */
  readonly inputs: readonly string[];
  /** The commands found are all the commands there are, in every shell. */
  readonly sure: boolean;
  /** Nothing but lists, pipelines and groups of simple commands, with no redirect that touches a file. */
  readonly plain: boolean;
  readonly script: ParsedScript | undefined;
}

const maxLength = 262_144;
/** Length times opening brackets: the parser's time grows with it, and this much takes a fraction of a second. */
const maxWork = 4_000_000;
const opening = /[({[<`]/g;

/** Characters that people do not see, or that shells, terminals and encodings disagree about. */
const deceptive = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;

/** Parses a command line; never throws. A line that cannot be judged is neither `sure` nor `plain`. */
export function readShellLine(text: string): ShellLine {
  const lost: ShellLine = { text, commands: [], inputs: [], sure: false, plain: false, script: undefined };
  if (text.length > maxLength || text.length * (text.match(opening)?.length ?? 0) > maxWork) return lost;
  try {
    return collect(text);
  } catch {
    return lost;
  }
}

function collect(text: string): ShellLine {
  const script = parse(text);
  const commands: SimpleCommand[] = [];
  const inputs: string[] = [];
  const deceives = deceptive.test(text);
  let sure = !deceives;
  let plain = !deceives;
  const nodes: SyntaxNode[] = [script];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isDoubtful(node)) sure = false;
    if (!isPlain(node)) plain = false;
    if (node.type === 'Command') commands.push(simpleCommand(node));
    if (node.type === 'HereDocBody') inputs.push(node.text);
    if (node.type === 'HereString' && node.target) inputs.push(node.target.value);
    forEachChild(node, child => nodes.push(child));
  }
  if (commands.some(command => isNameless(command))) sure = false;
  return { text, commands, inputs, sure, plain: plain && sure, script };
}

function simpleCommand(node: Command): SimpleCommand {
  const words = node.name === undefined ? [] : [node.name, ...node.args];
  return { words: words.map(shellWord), assigns: node.prefix.some(part => part.type === 'Assignment') };
}

/** The command's name is known only once the shell has expanded it. */
function isNameless({ words: [name] }: SimpleCommand): boolean {
  return name !== undefined && (name.open || name.tilde);
}

import type { Redirect, SyntaxNode } from 'unbash';

type NodeOf<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>;
type Tests = { readonly [Type in SyntaxNode['type']]?: (node: NodeOf<Type>) => boolean };

/** Nodes that hold more than their children show, or mean something else to another shell. */
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

/** What a line may consist of to be allowed. Loops and `for` set variables, functions rename commands: they are not here. */
const plain: Tests = {
  Script: always,
  Statement: always,
  CompoundList: always,
  AndOr: always,
  Pipeline: always,
  Negation: always,
  Subshell: always,
  BraceGroup: always,
  Redirected: always,
  Command: always,
  Assignment: always,
  Redirect: isHarmlessRedirect,
  FileDescriptor: always,
  Word: always,
  Literal: always,
  SingleQuoted: always,
  DoubleQuoted: always,
  Glob: always,
  BraceExpansion: always,
  SimpleExpansion: always,
  ParameterExpansion: node => node.operation === undefined && node.index === undefined && node.prefix === undefined,
  CommandExpansion: always,
  ProcessSubstitution: node => node.operator === '<',
};

/** Whether the commands found under a node may not be all that it runs. */
export function isDoubtful(node: SyntaxNode): boolean {
  return test(doubtful, node);
}

/** Whether a node, without its children, may be part of a line that is allowed. */
export function isPlain(node: SyntaxNode): boolean {
  return test(plain, node);
}

function test(tests: Tests, node: SyntaxNode): boolean {
  const found = tests[node.type] as ((node: SyntaxNode) => boolean) | undefined;
  return found?.(node) ?? false;
}

function always(): boolean {
  return true;
}

const toFile: ReadonlySet<string> = new Set(['>', '>>', '<', '&>', '&>>']);

/** A redirect that touches no file: it joins two descriptors (`2>&1`) or names `/dev/null`. */
function isHarmlessRedirect({ operator, descriptor, target }: Redirect): boolean {
  if (target === undefined || target.parts !== undefined || descriptor?.type === 'FileDescriptorVariable') return false;
  if (operator === '>&') return /^\d$/.test(target.text) || target.text === '/dev/null';
  return toFile.has(operator) && target.text === '/dev/null';
}

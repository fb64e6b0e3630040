import type { SyntaxNode } from 'unbash';

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
export function isDoubtful(node: SyntaxNode): boolean {
  const found = doubtful[node.type] as ((node: SyntaxNode) => boolean) | undefined;
  return found?.(node) ?? false;
}

function always(): boolean {
  return true;
}

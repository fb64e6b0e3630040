import type { Node, NodeOf } from './node.ts';

/** A node whose text grows: pieces of one name join while kind, stream and run are the same. */
export type GrowingNode = NodeOf<'text'> | NodeOf<'reasoning'> | NodeOf<'repl_progress'>;

/** Whether the text of a node grows. */
export function isGrowing(node: Node): node is GrowingNode {
  return node.kind === 'text' || node.kind === 'reasoning' || node.kind === 'repl_progress';
}

/** Whether two growing nodes of one name are the same node. */
export function isSameStream(a: GrowingNode, b: GrowingNode): boolean {
  return a.runId === b.runId && a.kind === b.kind && streamOf(a) === streamOf(b);
}

/** Returns the node with its text. */
export function withText(node: Node, text: string): Node {
  const { id, runId, kind } = node;
  if (kind === 'repl_progress') return { id, runId, kind, chunk: text, stream: node.stream };
  return isGrowing(node) ? { id, runId, kind: node.kind, content: text } : node;
}

function streamOf(node: GrowingNode): 'stdout' | 'stderr' | undefined {
  return node.kind === 'repl_progress' ? node.stream : undefined;
}

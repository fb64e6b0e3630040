import type { Node, NodeOf } from './node.ts';

/** A node whose text grows: pieces of one name join while run and stream are the same. */
export type GrowingNode = NodeOf<'text'> | NodeOf<'reasoning'> | NodeOf<'repl_progress'>;

/** The kind of a growing node: text, reasoning, or an output stream of an execution. */
export type Stream = 'text' | 'reasoning' | 'stdout' | 'stderr';

/** Whether a node is this stream of a run. */
export function isStream(node: Node, runId: string, stream: Stream): node is GrowingNode {
  return node.runId === runId && (node.kind === 'repl_progress' ? node.stream : node.kind) === stream;
}

/** Returns a growing node without its text. */
export function emptyNode(id: string, runId: string, stream: Stream): GrowingNode {
  if (stream === 'text' || stream === 'reasoning') return { id, runId, kind: stream, content: '' };
  return { id, runId, kind: 'repl_progress', chunk: '', stream };
}

/** Returns a growing node with its text. */
export function withText(node: GrowingNode, text: string): GrowingNode {
  const { id, runId } = node;
  if (node.kind === 'repl_progress') return { id, runId, kind: node.kind, chunk: text, stream: node.stream };
  return { id, runId, kind: node.kind, content: text };
}

import { type Graph, nodeIdsInRun } from './graph.ts';
import type { Node, NodeOf } from './node.ts';

/** Returns the children of a node, in order of creation. */
export function getChildren(graph: Graph, nodeId: string): Node[] {
  return (graph.edges.get(nodeId) ?? []).flatMap(id => graph.nodes.get(id) ?? []);
}

/** Returns the nodes of a run, in order of creation. */
export function getNodesInRun(graph: Graph, runId: string): Node[] {
  return nodeIdsInRun(graph, runId).flatMap(id => graph.nodes.get(id) ?? []);
}

/** Returns all text of a run. */
export function getText(graph: Graph, runId: string): string {
  return getNodesInRun(graph, runId)
    .map(node => (node.kind === 'text' ? node.content : ''))
    .join('');
}

/** Returns the tool calls of a run. */
export function getToolCalls(graph: Graph, runId: string): NodeOf<'tool_call'>[] {
  return getNodesInRun(graph, runId).filter(node => node.kind === 'tool_call');
}

/** Visits a node and everything below it, depth first, children in order. */
export function walkDFS(graph: Graph, startId: string, visit: (node: Node) => void): void {
  const stack = [startId];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const node = graph.nodes.get(id);
    if (node === undefined) continue;
    visit(node);
    for (const child of (graph.edges.get(id) ?? []).toReversed()) stack.push(child);
  }
}

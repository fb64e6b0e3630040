import { visibleLine } from '../base/terminal-text.ts';
import type { Graph } from '../graph/graph.ts';
import type { Node } from '../graph/node.ts';

/** Yields the graph as a tree: a run is a straight line, everything it caused is indented. */
export function* graphLines(graph: Graph): Generator<string> {
  const children = new Set([...graph.edges.values()].flat());
  const stack = [...graph.nodes.keys()]
    .filter(id => !children.has(id))
    .map(id => ({ id, depth: 0 }))
    .toReversed();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const node = graph.nodes.get(at.id);
    if (node === undefined) continue;
    yield `${'    '.repeat(at.depth)}${label(node)}`;
    const below = (graph.edges.get(at.id) ?? []).toReversed();
    for (const id of below) {
      const sameRun = graph.nodes.get(id)?.runId === node.runId;
      stack.push({ id, depth: sameRun || below.length === 1 ? at.depth : at.depth + 1 });
    }
  }
}

function label(node: Node): string {
  const detail =
    'name' in node ? node.name : 'agentId' in node ? node.agentId : 'relayKind' in node ? node.relayKind : '';
  const short = node.id.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{8}/g, '…');
  return `${node.kind.padEnd(14)}${visibleLine(detail ?? '').padEnd(12)}${visibleLine(short)}`;
}

import type { Node } from 'singletree/graph';
import type { ConversationEvent } from '../conversation.ts';
import { isFragment, nodeOf } from './node-of.ts';

/** A graph of plain Maps that nobody changes. */
export interface CopiedMaps {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: ReadonlyMap<string, readonly string[]>;
  readonly lastNodeByRunId: ReadonlyMap<string, string>;
  readonly usages: ReadonlyMap<string, number>;
}

export const noCopiedMaps: CopiedMaps = {
  nodes: new Map(),
  edges: new Map(),
  lastNodeByRunId: new Map(),
  usages: new Map(),
};

/** Immutable the obvious way: an event copies the Maps that it changes. */
export function reduceCopying(graph: CopiedMaps, event: ConversationEvent): CopiedMaps {
  const { runId } = event;
  if (isFragment(event)) {
    const node = graph.nodes.get(event.id);
    if (node?.kind === event.type)
      return { ...graph, nodes: withEntry(graph.nodes, node.id, { ...node, content: node.content + event.content }) };
  }
  const usage = (graph.usages.get(runId) ?? 0) + 1;
  const node = nodeOf(event, usage);
  if (node === undefined) return graph;
  const previous = graph.lastNodeByRunId.get(runId) ?? event.parentId;
  const siblings = previous === undefined ? undefined : graph.edges.get(previous);
  return {
    nodes: withEntry(graph.nodes, node.id, node),
    edges: previous === undefined ? graph.edges : withEntry(graph.edges, previous, [...(siblings ?? []), node.id]),
    lastNodeByRunId: withEntry(graph.lastNodeByRunId, runId, node.id),
    usages: event.type === 'usage' ? withEntry(graph.usages, runId, usage) : graph.usages,
  };
}

function withEntry<Value>(map: ReadonlyMap<string, Value>, key: string, value: Value): ReadonlyMap<string, Value> {
  return new Map(map).set(key, value);
}

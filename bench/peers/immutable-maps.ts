import { Map as ImmutableMap } from 'immutable';
import type { Node } from 'singletree/graph';
import type { ConversationEvent } from '../conversation.ts';
import { isFragment, nodeOf } from './node-of.ts';

/** A graph of the persistent Maps of the library `immutable`. */
export interface ImmutableMaps {
  readonly nodes: ImmutableMap<string, Node>;
  readonly edges: ImmutableMap<string, readonly string[]>;
  readonly lastNodeByRunId: ImmutableMap<string, string>;
  readonly usages: ImmutableMap<string, number>;
}

export const noImmutableMaps: ImmutableMaps = {
  nodes: ImmutableMap(),
  edges: ImmutableMap(),
  lastNodeByRunId: ImmutableMap(),
  usages: ImmutableMap(),
};

/** The same fold on persistent Maps. */
export function reduceImmutable(graph: ImmutableMaps, event: ConversationEvent): ImmutableMaps {
  const { runId } = event;
  if (isFragment(event)) {
    const node = graph.nodes.get(event.id);
    if (node?.kind === event.type)
      return { ...graph, nodes: graph.nodes.set(node.id, { ...node, content: node.content + event.content }) };
  }
  const usage = (graph.usages.get(runId) ?? 0) + 1;
  const node = nodeOf(event, usage);
  if (node === undefined) return graph;
  const previous = graph.lastNodeByRunId.get(runId) ?? event.parentId;
  const siblings = previous === undefined ? undefined : graph.edges.get(previous);
  return {
    nodes: graph.nodes.set(node.id, node),
    edges: previous === undefined ? graph.edges : graph.edges.set(previous, [...(siblings ?? []), node.id]),
    lastNodeByRunId: graph.lastNodeByRunId.set(runId, node.id),
    usages: event.type === 'usage' ? graph.usages.set(runId, usage) : graph.usages,
  };
}

import { createGraph, type Graph, type Node, reduceEvent } from 'singletree/graph';
import { type CopiedMaps, reduceCopying } from './peers/copied-maps.ts';
import { type ImmutableMaps, noImmutableMaps, reduceImmutable } from './peers/immutable-maps.ts';
import { type Growing, MutableMaps } from './peers/mutable-maps.ts';
import type { Step } from './steps.ts';

/** Folds the events with `reduceEvent`; every fold here reads the changed node after each event. */
export function foldOurs(steps: readonly Step[]): Graph {
  let graph = createGraph();
  for (const { event, nodeId } of steps) {
    graph = reduceEvent(graph, event);
    if (nodeId !== undefined) look(graph.nodes.get(nodeId));
  }
  return graph;
}

/** Folds them into Maps that are changed in place. */
export function foldMutable(steps: readonly Step[], growing: Growing): MutableMaps {
  const graph = new MutableMaps(growing);
  for (const { event, nodeId } of steps) {
    graph.reduce(event);
    if (nodeId !== undefined) look(graph.nodes.get(nodeId));
  }
  return graph;
}

/** Folds them onto a graph whose Maps are copied for each event. */
export function foldCopying(steps: readonly Step[], start: CopiedMaps): CopiedMaps {
  let graph = start;
  for (const { event, nodeId } of steps) {
    graph = reduceCopying(graph, event);
    if (nodeId !== undefined) look(graph.nodes.get(nodeId));
  }
  return graph;
}

/** Folds them into the persistent Maps of `immutable`. */
export function foldImmutable(steps: readonly Step[]): ImmutableMaps {
  let graph = noImmutableMaps;
  for (const { event, nodeId } of steps) {
    graph = reduceImmutable(graph, event);
    if (nodeId !== undefined) look(graph.nodes.get(nodeId));
  }
  return graph;
}

let charactersSeen = 0;

function look(node: Node | undefined): void {
  if (node === undefined) throw new Error('The node that the event changed is not in the graph.');
  if (node.kind === 'text' || node.kind === 'reasoning') charactersSeen += node.content.length;
}

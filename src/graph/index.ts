/**
 * The conversation graph: a pure fold over events.
 * @module
 */
export { createGraph, reduceEvent } from './graph.ts';
export type { Node, NodeKind, NodeOf, RelayResolution } from './node.ts';
export type { Graph } from './snapshot.ts';
export { getChildren, getNodesInRun, getText, getToolCalls, walkDFS } from './queries.ts';

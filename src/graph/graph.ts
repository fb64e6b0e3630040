import type { AgentEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { Node } from './node.ts';
import { applyEvent } from './reducers.ts';
import type { GraphTables } from './tables.ts';
import { advance, emptyStore } from './versioned/advance.ts';
import { Snapshot, type Store } from './versioned/store.ts';
import { EdgesView, LastNodesView, NodesView } from './view.ts';

/**
 * An immutable conversation graph. Every graph stays valid and unchanged by later reductions. Its Maps read from it and
 * throw on writes; `toMap` copies one.
 */
export interface Graph {
  /** All nodes by id, in order of creation. */
  readonly nodes: Map<string, Node>;
  /** Node id to the ids of its children, as a new array for each reading. */
  readonly edges: Map<string, string[]>;
  /** Run id to the newest node of the run. */
  readonly lastNodeByRunId: Map<string, string>;
  /** The seq of its newest logged event; an event that is not newer leaves the graph unchanged. */
  readonly seq: number | undefined;
  /** Iterates over nodes with the ids of their children: two graphs are equal when they iterate alike. */
  [Symbol.iterator](): Iterator<[Node, readonly string[]]>;
}

/** The graph that callers hold. */
class GraphSnapshot extends Snapshot<GraphTables> implements Graph {
  override at(store: Store<GraphTables>, version: number, seq: number | undefined): GraphSnapshot {
    return new GraphSnapshot(store, version, seq);
  }

  get nodes(): NodesView {
    return new NodesView(this);
  }

  get edges(): EdgesView {
    return new EdgesView(this);
  }

  get lastNodeByRunId(): LastNodesView {
    return new LastNodesView(this);
  }

  *[Symbol.iterator](): Generator<[Node, readonly string[]]> {
    for (const [id, node] of this.nodes) yield [node, this.all('children', id)];
  }
}

/** An empty graph. */
export function createGraph(): Graph {
  return new GraphSnapshot(emptyStore(), 0, undefined);
}

/**
 * Returns the graph with one more event, in constant time. The given graph is not modified; reducing an older graph
 * starts a branch that shares everything before it. An event without effect returns the given graph itself.
 */
export function reduceEvent(graph: Graph, event: AgentEvent): Graph {
  return advance<GraphTables, GraphSnapshot, AgentEvent>(getSnapshot(graph), event, applyEvent);
}

/** Returns the ids of a run's nodes, in order of creation. */
export function nodeIdsInRun(graph: Graph, runId: string): readonly string[] {
  return getSnapshot(graph).all('inRun', runId);
}

function getSnapshot(graph: Graph): GraphSnapshot {
  if (graph instanceof GraphSnapshot) return graph;
  throw new SingletreeError('invalid_argument', 'Expected a graph made by createGraph or reduceEvent.');
}

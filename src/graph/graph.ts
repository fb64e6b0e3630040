import { type AgentEvent, SingletreeError } from '../events/index.ts';
import { compact } from './compact.ts';
import { Layer } from './layer.ts';
import { type Graph, Snapshot } from './snapshot.ts';

/** An empty graph. */
export function createGraph(): Graph {
  return new Snapshot(new Layer(undefined), 0, undefined);
}

/**
 * Returns the graph with one more event, in constant time. The given graph is not modified; reducing an older graph
 * starts a branch that shares everything before it. An event without effect returns the given graph itself.
 */
export function reduceEvent(graph: Graph, event: AgentEvent): Graph {
  const from = snapshotOf(graph);
  const { seq } = event;
  if (seq !== undefined && from.seq !== undefined && seq <= from.seq) return graph;
  const { layer, version } = from;
  if (layer.lastEvent === event && layer.lastFrom === version) return layer.lastNext as Snapshot;

  const head = layer.head === version ? from : branchFrom(from);
  if (!head.layer.step.take(head, event, seq !== undefined)) return graph;
  const next = new Snapshot(head.layer, head.layer.head, seq ?? from.seq);
  layer.lastEvent = event;
  layer.lastFrom = version;
  layer.lastNext = next;
  return next;
}

/** Returns the ids of a run's nodes, in order of creation. */
export function nodeIdsInRun(graph: Graph, runId: string): string[] {
  return snapshotOf(graph).all('runs', runId);
}

function snapshotOf(graph: Graph): Snapshot {
  if (graph instanceof Snapshot) return graph;
  throw new SingletreeError('invalid_argument', 'Expected a graph made by createGraph or reduceEvent.');
}

/** The limit of layers; more are joined into one, so that a read never walks far. */
const maxDepth = 16;

function branchFrom(snapshot: Snapshot): Snapshot {
  const base = snapshot.layer.depth >= maxDepth ? compact(snapshot) : snapshot;
  return new Snapshot(new Layer(base), 0, snapshot.seq);
}

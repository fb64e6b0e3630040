import type { LoggedEvent } from '../../../src/events/vocabulary.ts';
import {
  type Conversation,
  createConversation,
  reduceConversation,
} from '../../../src/graph/conversation/conversation.ts';
import type { DagTier } from '../../../src/projections/thread-graph/graph-item.ts';
import {
  type GraphGroup,
  type GraphNode,
  graphNodeSize,
  projectThreadGraph,
  type ThreadGraph,
} from '../../../src/projections/thread-graph/thread-graph.ts';

/** A part of a drawing. */
export interface GraphRect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface GraphQuery {
  readonly detail: { readonly by: DagTier; readonly isFolded: boolean; readonly expanded: readonly string[] };
  readonly rect: GraphRect;
}

/** The visible nodes, edges and group frames; only sizes when there are too many to draw. */
export interface GraphPart {
  readonly nodes: readonly GraphNode[];
  readonly lines: readonly { readonly key: string; readonly start: Point; readonly end: Point }[];
  readonly groups: readonly GraphGroup[];
  readonly isCrowded: boolean;
  readonly count: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where all nodes are: for each its x, its y, and the index of its kind. */
export interface GraphOverview {
  readonly places: Float32Array;
  readonly kinds: readonly string[];
  readonly width: number;
  readonly height: number;
}

export type GraphDirection = 'up' | 'down' | 'left' | 'right';

const mostNodes = 300;
const mostHits = 500;

/** The drawing of a thread that grows: laid out again when something is new, or shown in other detail. */
export class GraphHistory {
  readonly #events: readonly LoggedEvent[];
  #conversation: Conversation = createConversation();
  #reduced = 0;
  #drawn: { readonly key: string; readonly graph: ThreadGraph } | undefined;

  constructor(events: readonly LoggedEvent[]) {
    this.#events = events;
  }

  part({ detail, rect }: GraphQuery): GraphPart {
    const { nodes, edges, groups, width, height } = this.#graph(detail);
    const size = { count: nodes.length, width, height };
    const seen = nodes.filter(node => isSeen(rect, node, graphNodeSize));
    if (seen.length > mostNodes) return { nodes: [], lines: [], groups: [], isCrowded: true, ...size };
    const lines = edges.flatMap(({ from, to }) => {
      const [start, end] = [nodes[from], nodes[to]];
      if (start === undefined || end === undefined || start.y > rect.bottom || end.y < rect.top) return [];
      return [{ key: `${start.id} ${end.id}`, start: { x: start.x, y: start.y }, end: { x: end.x, y: end.y } }];
    });
    return {
      nodes: seen,
      lines,
      groups: groups.filter(group => isSeen(rect, group, group)),
      isCrowded: false,
      ...size,
    };
  }

  overview(detail: GraphQuery['detail']): GraphOverview {
    const { nodes, width, height } = this.#graph(detail);
    const kinds = [...new Set(nodes.map(({ kind, status }) => (status === 'failed' ? 'error' : kind)))];
    const index = new Map(kinds.map((kind, at) => [kind, at]));
    const places = new Float32Array(nodes.length * 3);
    for (const [at, { x, y, kind, status }] of nodes.entries())
      places.set([x, y, index.get(status === 'failed' ? 'error' : kind) ?? 0], at * 3);
    return { places, kinds, width, height };
  }

  nodeAt(detail: GraphQuery['detail'], seq: number): GraphNode | undefined {
    let best: GraphNode | undefined;
    for (const node of this.#graph(detail).nodes)
      if (node.seq <= seq && node.seq > 0 && (best === undefined || node.seq >= best.seq)) best = node;
    return best;
  }

  neighbour(detail: GraphQuery['detail'], id: string, direction: GraphDirection): GraphNode | undefined {
    const { nodes, edges } = this.#graph(detail);
    const at = nodes.findIndex(node => node.id === id);
    const from = nodes[at];
    if (from === undefined) return direction === 'up' ? nodes.at(-1) : nodes[0];
    if (direction === 'down') return nodes[edges.find(edge => edge.from === at)?.to ?? -1];
    if (direction === 'up') return nodes[edges.find(edge => edge.to === at)?.from ?? -1];
    const side = direction === 'left' ? -1 : 1;
    let best: GraphNode | undefined;
    const distance = (node: GraphNode) => Math.abs(node.y - from.y) * 4 + Math.abs(node.x - from.x);
    for (const node of nodes)
      if ((node.x - from.x) * side > 0 && Math.abs(node.y - from.y) < 400 && (!best || distance(node) < distance(best)))
        best = node;
    return best;
  }

  search(detail: GraphQuery['detail'], text: string): readonly GraphNode[] {
    const wanted = text.toLowerCase();
    const hits: GraphNode[] = [];
    for (const node of this.#graph(detail).nodes) {
      if (`${node.label} ${node.detail} ${node.kind}`.toLowerCase().includes(wanted)) hits.push(node);
      if (hits.length >= mostHits) break;
    }
    return hits;
  }

  /** The conversation of all events so far. */
  conversation(): Conversation {
    for (; this.#reduced < this.#events.length; this.#reduced++)
      this.#conversation = reduceConversation(this.#conversation, this.#events[this.#reduced] as LoggedEvent);
    return this.#conversation;
  }

  #graph(detail: GraphQuery['detail']): ThreadGraph {
    const conversation = this.conversation();
    const key = JSON.stringify([this.#reduced, detail]);
    if (this.#drawn?.key === key) return this.#drawn.graph;
    const { by, isFolded, expanded } = detail;
    const graph = projectThreadGraph(conversation, { by, isFolded, expanded: new Set(expanded) });
    this.#drawn = { key, graph };
    return graph;
  }
}

function isSeen(rect: GraphRect, { x, y }: Point, { width, height }: { width: number; height: number }): boolean {
  return x <= rect.right && x + width >= rect.left && y <= rect.bottom && y + height >= rect.top;
}

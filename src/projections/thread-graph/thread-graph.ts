import type { Active } from '../../graph/conversation/active.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import type { Message } from '../../graph/conversation/record.ts';
import { getMessage, getMessages } from '../../graph/conversation/queries.ts';
import type { GraphFace, GraphItem } from './graph-item.ts';
import { type GraphDetail, MessageItems } from './message-items.ts';

/** A node with its place; all nodes have the size `graphNodeSize`. */
export interface GraphNode extends GraphFace {
  readonly x: number;
  readonly y: number;
}

/** A line from one node down to another. */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
}

/** The frame around a run of a subagent, or around repeats that are open; it can be folded again. */
export interface GraphGroup {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A drawing of a thread; edges name nodes by their index. */
export interface ThreadGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly groups: readonly GraphGroup[];
  readonly width: number;
  readonly height: number;
}

/** The width and the height of a node of the drawing. */
export const graphNodeSize = { width: 200, height: 46 };
const gap = { x: 26, y: 22 };
const frame = { side: 12, top: 24, bottom: 12 };
const mostCrossings = 64;

/** A placed item: its size, and the nodes that its edges enter and leave. */
interface Placed {
  readonly width: number;
  readonly height: number;
  readonly entries: readonly number[];
  readonly exits: readonly number[];
}

/**
 * Returns the layout of a thread from top to bottom: later parts are below earlier ones, parallel parts and versions of
 * a message are side by side, and the work of a subagent is in a frame. Nodes do not overlap. Takes linear time; call
 * it again when a fold or the thread changes. With `active` it draws only that branch.
 */
export function projectThreadGraph(conversation: Conversation, detail: GraphDetail, active?: Active): ThreadGraph {
  const shown = active && new Set(active.messages);
  const followers = new Map<string | undefined, Message[]>();
  const spawned = new Map<string, Message[]>();
  for (const message of getMessages(conversation)) {
    if (message.spawnedBy !== undefined) push(spawned, message.spawnedBy, message);
    else if (shown?.has(message.id) ?? true) push(followers, findAbove(conversation, message, shown), message);
  }
  return new Drawing(new MessageItems(conversation, detail, spawned), followers).draw();
}

/** Returns the nearest message before another one that is drawn; all are without `shown`. */
function findAbove(conversation: Conversation, message: Message, shown?: ReadonlySet<string>): string | undefined {
  let above = message.parentMessageId;
  while (above !== undefined && shown?.has(above) === false) above = getMessage(conversation, above)?.parentMessageId;
  return above;
}

class Drawing {
  readonly #items: MessageItems;
  readonly #followers: ReadonlyMap<string | undefined, readonly Message[]>;
  readonly #nodes: GraphNode[] = [];
  readonly #edges: GraphEdge[] = [];
  readonly #groups: GraphGroup[] = [];

  constructor(items: MessageItems, followers: ReadonlyMap<string | undefined, readonly Message[]>) {
    this.#items = items;
    this.#followers = followers;
  }

  draw(): ThreadGraph {
    const { width, height } = this.#branches(undefined, 0, 0, []);
    return { nodes: this.#nodes, edges: this.#edges, groups: this.#groups, width, height };
  }

  /** The versions of what follows a message, side by side. */
  #branches(parentId: string | undefined, x: number, y: number, exits: readonly number[]): Placed {
    let [width, height] = [0, 0];
    for (const first of this.#followers.get(parentId) ?? []) {
      const left = width === 0 ? 0 : width + gap.x;
      const placed = this.#branch(first, x + left, y, exits);
      width = left + placed.width;
      height = Math.max(height, placed.height);
    }
    return { width, height, entries: [], exits: [] };
  }

  /** A message and what follows it, as long as nothing else does. */
  #branch(first: Message, x: number, y: number, before: readonly number[]): Placed {
    let [width, at] = [0, y];
    let exits = before;
    for (let message: Message | undefined = first; message !== undefined; ) {
      const placed = this.#column(this.#items.of(message), x, at);
      this.#connect(exits, placed.entries);
      if (placed.exits.length > 0) exits = placed.exits;
      width = Math.max(width, placed.width);
      if (placed.height > 0) at += placed.height + gap.y;
      const next: readonly Message[] = this.#followers.get(message.id) ?? [];
      if (next.length > 1) {
        const rest = this.#branches(message.id, x, at, exits);
        return { width: Math.max(width, rest.width), height: at - y + rest.height, entries: [], exits: [] };
      }
      message = next[0];
    }
    return { width, height: at - y, entries: [], exits: [] };
  }

  #column(items: readonly GraphItem[], x: number, y: number): Placed {
    let [width, at] = [0, y];
    let entries: readonly number[] = [];
    let exits: readonly number[] = [];
    for (const item of items) {
      const placed = this.#item(item, x, at);
      if (placed.height === 0) continue;
      this.#connect(exits, placed.entries);
      if (entries.length === 0) entries = placed.entries;
      exits = placed.exits;
      width = Math.max(width, placed.width);
      at += placed.height + gap.y;
    }
    return { width, height: Math.max(0, at - y - gap.y), entries, exits };
  }

  #item(item: GraphItem, x: number, y: number): Placed {
    if ('beside' in item) return this.#beside(item.beside, x, y);
    if ('frame' in item) return this.#frame(item, x, y);
    const node = this.#nodes.push({ ...item.face, x, y }) - 1;
    const { width, height } = graphNodeSize;
    if (item.below.length === 0) return { width, height, entries: [node], exits: [node] };
    const below = this.#column(item.below, x, y + height + gap.y);
    this.#connect([node], below.entries);
    return {
      width: Math.max(width, below.width),
      height: height + (below.height > 0 ? gap.y + below.height : 0),
      entries: [node],
      exits: below.exits.length > 0 ? below.exits : [node],
    };
  }

  #beside(columns: readonly (readonly GraphItem[])[], x: number, y: number): Placed {
    let [width, height] = [0, 0];
    const [entries, exits]: [number[], number[]] = [[], []];
    for (const column of columns) {
      const left = width === 0 ? 0 : width + gap.x;
      const placed = this.#column(column, x + left, y);
      width = left + placed.width;
      height = Math.max(height, placed.height);
      entries.push(...placed.entries);
      exits.push(...placed.exits);
    }
    return { width, height, entries, exits };
  }

  #frame({ frame: group, items }: Extract<GraphItem, { items: unknown }>, x: number, y: number): Placed {
    const inner = this.#column(items, x + frame.side, y + frame.top);
    const width = Math.max(graphNodeSize.width, inner.width) + 2 * frame.side;
    const height = inner.height + frame.top + frame.bottom;
    this.#groups.push({ ...group, x, y, width, height });
    return { width, height, entries: inner.entries, exits: inner.exits };
  }

  /** Lines from all to all; when those would be too many, through the first of each side. */
  #connect(exits: readonly number[], entries: readonly number[]): void {
    const isCrowded = exits.length * entries.length > mostCrossings;
    for (const [i, from] of exits.entries())
      for (const [j, to] of entries.entries()) if (!isCrowded || i === 0 || j === 0) this.#edges.push({ from, to });
  }
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

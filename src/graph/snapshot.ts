import type { Layer, TimelineName } from './layer.ts';
import type { Node } from './node.ts';
import type { Slot } from './slot.ts';
import { countUpTo } from './timeline.ts';
import { EdgesView, LastNodesView, NodesView } from './view.ts';

/** An immutable conversation graph. Every graph stays valid and unchanged by later reductions. */
export interface Graph {
  /** All nodes by id, in order of creation. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Node id to the ids of its children. */
  readonly edges: ReadonlyMap<string, readonly string[]>;
  /** Run id to the newest node of the run. */
  readonly lastNodeByRunId: ReadonlyMap<string, string>;
  /** The seq of its newest logged event; an event that is not newer leaves the graph unchanged. */
  readonly seq: number | undefined;
  /** Iterates over nodes with the ids of their children: two graphs are equal when they iterate alike. */
  [Symbol.iterator](): Iterator<[Node, readonly string[]]>;
}

/** A layer at one version: the graph that callers hold. */
export class Snapshot implements Graph {
  readonly #layer: Layer;
  readonly #version: number;
  readonly seq: number | undefined;

  constructor(layer: Layer, version: number, seq: number | undefined) {
    this.#layer = layer;
    this.#version = version;
    this.seq = seq;
  }

  get layer(): Layer {
    return this.#layer;
  }

  get version(): number {
    return this.#version;
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
    for (const id of this.nodeIds()) yield [this.node(id) as Node, this.all('children', id)];
  }

  slot(id: string): Slot | undefined {
    for (let at: Snapshot | undefined = this; at !== undefined; at = at.#layer.base) {
      const slot = at.#layer.slots.get(id);
      if (slot !== undefined && slot.born <= at.#version) return slot;
    }
    return undefined;
  }

  node(id: string): Node | undefined {
    for (let at: Snapshot | undefined = this; at !== undefined; at = at.#layer.base) {
      const slot = at.#layer.slots.get(id);
      if (slot !== undefined && slot.born <= at.#version) return slot.at(at.#version);
    }
    return undefined;
  }

  /** The number of nodes, nodes with children or runs. */
  size(of: 'nodes' | 'parents' | 'runs'): number {
    return countUpTo(this.#layer.added[of], this.#version) + (this.#layer.base?.size(of) ?? 0);
  }

  /** The newest entry of a key. */
  last(name: TimelineName, key: string): string | undefined {
    for (let at: Snapshot | undefined = this; at !== undefined; at = at.#layer.base) {
      const last = at.#layer[name].get(key)?.lastAt(at.#version);
      if (last !== undefined) return last;
    }
    return undefined;
  }

  /** The number of entries of a key. */
  count(name: TimelineName, key: string): number {
    let count = 0;
    for (let at: Snapshot | undefined = this; at !== undefined; at = at.#layer.base)
      count += at.#layer[name].get(key)?.countAt(at.#version) ?? 0;
    return count;
  }

  /** All entries of a key, oldest first. */
  all(name: TimelineName, key: string): string[] {
    const own = this.#layer[name].get(key)?.sliceAt(this.#version) ?? [];
    const base = this.#layer.base?.all(name, key);
    return base === undefined ? own : [...base, ...own];
  }

  /** The ids of all nodes, in order of creation. */
  *nodeIds(): Generator<string> {
    if (this.#layer.base !== undefined) yield* this.#layer.base.nodeIds();
    for (const [id, slot] of this.#layer.slots) {
      if (slot.born > this.#version) return;
      if (!slot.continues) yield id;
    }
  }

  /** The keys with an entry, in the order of their first entry. */
  *keys(name: TimelineName): Generator<string> {
    const { base } = this.#layer;
    if (base !== undefined) yield* base.keys(name);
    for (const [key, timeline] of this.#layer[name]) {
      if (timeline.countAt(this.#version) === 0) return;
      if (base?.last(name, key) === undefined) yield key;
    }
  }
}

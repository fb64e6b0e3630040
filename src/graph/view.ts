import { isGrowing, withText } from './growing-node.ts';
import type { Node } from './node.ts';
import { all, type GraphTables } from './tables.ts';
import type { Snapshot } from './versioned/index.ts';

/** A read-only, immutable map over a graph; `keys` names the table that lists its keys. */
abstract class View<Value> implements ReadonlyMap<string, Value> {
  readonly #graph: Snapshot<GraphTables>;
  readonly #keys: 'nodes' | 'parents' | 'runs';

  constructor(graph: Snapshot<GraphTables>, keys: 'nodes' | 'parents' | 'runs') {
    this.#graph = graph;
    this.#keys = keys;
  }

  protected get graph(): Snapshot<GraphTables> {
    return this.#graph;
  }

  abstract get(key: string): Value | undefined;

  get size(): number {
    return this.#graph.count(this.#keys, all);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void, self?: unknown): void {
    for (const [key, value] of this) visit.call(self, value, key, this);
  }

  *keys(): MapIterator<string> {
    yield* this.#graph.all(this.#keys, all);
  }

  *entries(): MapIterator<[string, Value]> {
    for (const key of this.keys()) yield [key, this.get(key) as Value];
  }

  *values(): MapIterator<Value> {
    for (const key of this.keys()) yield this.get(key) as Value;
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return 'Map';
  }
}

/** The nodes by id. */
export class NodesView extends View<Node> {
  constructor(graph: Snapshot<GraphTables>) {
    super(graph, 'nodes');
  }

  get(id: string): Node | undefined {
    const node = this.graph.last('node', id);
    return node !== undefined && isGrowing(node) ? this.graph.completed<Node>(id, node, withText) : node;
  }
}

/** The ids of the children by node. */
export class EdgesView extends View<readonly string[]> {
  constructor(graph: Snapshot<GraphTables>) {
    super(graph, 'parents');
  }

  get(id: string): readonly string[] | undefined {
    const children = this.graph.all('children', id);
    return children.length === 0 ? undefined : children;
  }
}

/** The newest node by run. */
export class LastNodesView extends View<string> {
  constructor(graph: Snapshot<GraphTables>) {
    super(graph, 'runs');
  }

  get(runId: string): string | undefined {
    return this.graph.last('inRun', runId);
  }
}

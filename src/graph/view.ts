import { type GrowingNode, withText } from './growing-node.ts';
import type { Node } from './node.ts';
import { all, type GraphTables } from './tables.ts';
import type { Snapshot } from './versioned/index.ts';

/** A read-only, immutable map over a graph. */
abstract class View<Value> implements ReadonlyMap<string, Value> {
  readonly #graph: Snapshot<GraphTables>;

  constructor(graph: Snapshot<GraphTables>) {
    this.#graph = graph;
  }

  /** The table that lists its keys. */
  protected abstract get listedIn(): 'nodes' | 'parents' | 'runs';

  protected get graph(): Snapshot<GraphTables> {
    return this.#graph;
  }

  abstract get(key: string): Value | undefined;

  get size(): number {
    return this.#graph.count(this.listedIn, all);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void, self?: unknown): void {
    for (const [key, value] of this) visit.call(self, value, key, this);
  }

  *keys(): MapIterator<string> {
    yield* this.#graph.all(this.listedIn, all);
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

const complete = (node: object, text: string) => withText(node as GrowingNode, text);

/** The nodes by id. */
export class NodesView extends View<Node> {
  protected get listedIn() {
    return 'nodes' as const;
  }

  get(id: string): Node | undefined {
    return (this.graph.completed(id, complete) as GrowingNode | undefined) ?? this.graph.last('node', id);
  }
}

/** The ids of the children by node. */
export class EdgesView extends View<readonly string[]> {
  protected get listedIn() {
    return 'parents' as const;
  }

  get(id: string): readonly string[] | undefined {
    const children = this.graph.all('children', id);
    return children.length === 0 ? undefined : children;
  }
}

/** The newest node by run. */
export class LastNodesView extends View<string> {
  protected get listedIn() {
    return 'runs' as const;
  }

  get(runId: string): string | undefined {
    return this.graph.last('inRun', runId);
  }
}

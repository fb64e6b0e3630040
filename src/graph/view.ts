import { SingletreeError } from '../base/singletree-error.ts';
import { type GrowingNode, withText } from './growing-node.ts';
import type { Node } from './node.ts';
import { all, type GraphTables } from './tables.ts';
import type { Snapshot } from './versioned/store.ts';

/**
 * A Map over a graph that reads its entries from the graph's store and refuses writes. Code that reads the internal
 * entries of a Map (`structuredClone`, `postMessage`, `deepStrictEqual`) finds none: `toMap` copies them.
 */
abstract class View<Value> extends Map<string, Value> {
  readonly #graph: Snapshot<GraphTables>;

  constructor(graph: Snapshot<GraphTables>) {
    super();
    this.#graph = graph;
  }

  /** The table that lists its keys. */
  protected abstract get listedIn(): 'nodes' | 'parents' | 'runs';

  protected get graph(): Snapshot<GraphTables> {
    return this.#graph;
  }

  abstract override get(key: string): Value | undefined;

  override get size(): number {
    return this.#graph.count(this.listedIn, all);
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  override forEach(visit: (value: Value, key: string, map: Map<string, Value>) => void, self?: unknown): void {
    for (const [key, value] of this) visit.call(self, value, key, this);
  }

  override *keys(): MapIterator<string> {
    yield* this.#graph.all(this.listedIn, all);
  }

  override *entries(): MapIterator<[string, Value]> {
    for (const key of this.keys()) yield [key, this.get(key) as Value];
  }

  override *values(): MapIterator<Value> {
    for (const key of this.keys()) yield this.get(key) as Value;
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  override set(): never {
    return refuseWrite();
  }

  override delete(): never {
    return refuseWrite();
  }

  override clear(): never {
    return refuseWrite();
  }

  /** Returns the value that `console.log` prints in Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): Map<string, Value> {
    return toMap(this);
  }
}

function refuseWrite(): never {
  throw new SingletreeError(
    'invalid_argument',
    'A graph cannot be changed. Add an event with reduceEvent, or change a copy made by toMap.',
  );
}

/** Copies a graph's Map into a plain `Map`, which can be cloned, posted, compared and changed. */
export function toMap<Key, Value>(view: ReadonlyMap<Key, Value>): Map<Key, Value> {
  return new Map(view.entries());
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
export class EdgesView extends View<string[]> {
  protected get listedIn() {
    return 'parents' as const;
  }

  get(id: string): string[] | undefined {
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

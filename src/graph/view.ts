import type { Snapshot } from './snapshot.ts';
import type { Node } from './node.ts';

/** A read-only, immutable map over a snapshot. */
abstract class View<Value> implements ReadonlyMap<string, Value> {
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  protected get snapshot(): Snapshot {
    return this.#snapshot;
  }

  abstract readonly size: number;
  abstract get(key: string): Value | undefined;
  abstract keys(): MapIterator<string>;

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void, self?: unknown): void {
    for (const [key, value] of this) visit.call(self, value, key, this);
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

export class NodesView extends View<Node> {
  get size(): number {
    return this.snapshot.size('nodes');
  }

  get(id: string): Node | undefined {
    return this.snapshot.node(id);
  }

  keys(): MapIterator<string> {
    return this.snapshot.nodeIds();
  }
}

export class EdgesView extends View<readonly string[]> {
  get size(): number {
    return this.snapshot.size('parents');
  }

  get(id: string): readonly string[] | undefined {
    const children = this.snapshot.all('children', id);
    return children.length === 0 ? undefined : children;
  }

  keys(): MapIterator<string> {
    return this.snapshot.keys('children');
  }
}

export class LastNodesView extends View<string> {
  get size(): number {
    return this.snapshot.size('runs');
  }

  get(runId: string): string | undefined {
    return this.snapshot.last('runs', runId);
  }

  keys(): MapIterator<string> {
    return this.snapshot.keys('runs');
  }
}

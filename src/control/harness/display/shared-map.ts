import { GrowingMap } from '../../../graph/versioned/growing-map.ts';

const bits = 5;
const width = 1 << bits;
type Node = readonly unknown[];

/**
 * An immutable map in insertion order. Adding or replacing an entry takes logarithmic time, and a successor shares all
 * unchanged entries.
 */
export class SharedMap<Value> implements Iterable<[string, Value]> {
  /** The position of each key. */
  readonly #positions: GrowingMap<string, number>;
  readonly #keys: Node;
  readonly #values: Node;
  /** The number of levels above the leaves. */
  readonly #depth: number;
  readonly size: number;
  #plain: Map<string, Value> | undefined;

  private constructor(positions: GrowingMap<string, number>, keys: Node, values: Node, depth: number) {
    this.#positions = positions;
    this.#keys = keys;
    this.#values = values;
    this.#depth = depth;
    this.size = positions.size;
  }

  static from<Value>(entries: Iterable<readonly [string, Value]>): SharedMap<Value> {
    let map = new SharedMap<Value>(GrowingMap.of<string, number>([]), [], [], 0);
    for (const [key, value] of entries) map = map.with(key, value);
    return map;
  }

  get(key: string): Value | undefined {
    const at = this.#positions.get(key);
    return at === undefined ? undefined : (leaf(this.#values, this.#depth, at)[at % width] as Value);
  }

  has(key: string): boolean {
    return this.#positions.get(key) !== undefined;
  }

  /** Returns the map with an entry; one with the same key is replaced in its place. */
  with(key: string, value: Value): SharedMap<Value> {
    const known = this.#positions.get(key);
    if (known !== undefined)
      return new SharedMap(this.#positions, this.#keys, put(this.#values, this.#depth, known, value), this.#depth);
    const at = this.size;
    const isFull = at === width ** (this.#depth + 1);
    const depth = isFull ? this.#depth + 1 : this.#depth;
    const keys = put(isFull ? [this.#keys] : this.#keys, depth, at, key);
    const values = put(isFull ? [this.#values] : this.#values, depth, at, value);
    return new SharedMap(this.#positions.with(key, at), keys, values, depth);
  }

  /** Returns a plain map of the entries, which is created once. */
  toMap(): Map<string, Value> {
    this.#plain ??= new Map(this);
    return this.#plain;
  }

  /** Whether `toMap` takes constant time. */
  get isPlain(): boolean {
    return this.#plain !== undefined;
  }

  *[Symbol.iterator](): Generator<[string, Value]> {
    for (let start = 0; start < this.size; start += width) {
      const keys = leaf(this.#keys, this.#depth, start);
      const values = leaf(this.#values, this.#depth, start);
      for (const [at, key] of keys.entries()) yield [key as string, values[at] as Value];
    }
  }

  *values(): Generator<Value> {
    for (const [, value] of this) yield value;
  }
}

/** The leaf that contains a position. */
function leaf(root: Node, depth: number, at: number): Node {
  let node = root;
  for (let level = depth; level > 0; level--) node = node[(at >>> (level * bits)) % width] as Node;
  return node;
}

/** Returns a copy of a tree with a value at a position; all other branches are shared. */
function put(node: Node | undefined, level: number, at: number, value: unknown): Node {
  const copy = node?.slice() ?? [];
  const slot = (at >>> (level * bits)) % width;
  copy[slot] = level === 0 ? value : put(copy[slot] as Node | undefined, level - 1, at, value);
  return copy;
}

/**
 * An immutable map in insertion order whose successors share one storage: adding to the newest one costs constant time,
 * adding to an older one copies it first.
 */
export class GrowingMap<Key, Value> {
  readonly size: number;
  readonly #shared: Map<Key, { readonly position: number; readonly value: Value }>;

  private constructor(shared: Map<Key, { readonly position: number; readonly value: Value }>, size: number) {
    this.#shared = shared;
    this.size = size;
  }

  /** Creates a map of these entries; keys are unique. */
  static of<Key, Value>(entries: readonly (readonly [Key, Value])[]): GrowingMap<Key, Value> {
    return new GrowingMap(new Map(entries.map(([key, value], position) => [key, { position, value }])), entries.length);
  }

  get(key: Key): Value | undefined {
    const found = this.#shared.get(key);
    return found !== undefined && found.position < this.size ? found.value : undefined;
  }

  /** Returns the map with one more entry, whose key must be new. */
  with(key: Key, value: Value): GrowingMap<Key, Value> {
    const { size } = this;
    const own = this.#shared.size === size ? this.#shared : new Map([...this.#shared].slice(0, size));
    own.set(key, { position: size, value });
    return new GrowingMap(own, size + 1);
  }

  *values(): Generator<Value> {
    for (const { position, value } of this.#shared.values()) {
      if (position >= this.size) return;
      yield value;
    }
  }
}

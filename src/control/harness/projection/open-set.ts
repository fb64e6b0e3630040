import { SharedMap } from '../display/shared-map.ts';

/** An immutable set of ids that are opened and closed; a change costs the same at any size. */
export class OpenSet implements Iterable<string> {
  readonly #ids: SharedMap<boolean>;
  readonly size: number;

  private constructor(ids: SharedMap<boolean>, size: number) {
    this.#ids = ids;
    this.size = size;
  }

  static empty(): OpenSet {
    return new OpenSet(SharedMap.from([]), 0);
  }

  has(id: string): boolean {
    return this.#ids.get(id) === true;
  }

  with(id: string): OpenSet {
    return this.has(id) ? this : new OpenSet(this.#ids.with(id, true), this.size + 1);
  }

  /** Returns the set without an id; an empty one keeps nothing of the ids that were in it. */
  without(id: string): OpenSet {
    if (!this.has(id)) return this;
    return this.size === 1 ? OpenSet.empty() : new OpenSet(this.#ids.with(id, false), this.size - 1);
  }

  *[Symbol.iterator](): Generator<string> {
    for (const [id, isOpen] of this.#ids) if (isOpen) yield id;
  }
}

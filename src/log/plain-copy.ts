/** Values nested deeper than this are copied by JSON itself. */
const maxDepth = 16;

/** Copies values that JSON holds as they are, without writing them as text. */
export class PlainCopy {
  #isExact = true;
  #length = 0;

  /** Whether JSON would have made the same copies; otherwise they are of no use. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /** About how long the values are as JSON; at least a sixth of it. */
  get length(): number {
    return this.#length;
  }

  of(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') this.#length += value.length;
    else if (typeof value === 'number') this.#isExact &&= Number.isFinite(value) && !Object.is(value, -0);
    else if (typeof value === 'object' && value !== null) return this.#ofObject(value, depth);
    else this.#isExact &&= typeof value === 'boolean' || value === null;
    return value;
  }

  #ofObject(value: object, depth: number): unknown {
    const isList = Array.isArray(value);
    if (depth >= maxDepth || Object.getPrototypeOf(value) !== (isList ? Array.prototype : Object.prototype)) {
      this.#isExact = false;
      return undefined;
    }
    return isList ? this.#ofList(value, depth) : this.#ofFields(value, depth);
  }

  #ofFields(value: object, depth: number): unknown {
    const copy: Record<string, unknown> = { ...value };
    for (const key in copy) {
      const field = copy[key];
      this.#length += key.length + 6;
      const copied = this.of(field, depth + 1);
      if (!this.#isExact) return undefined;
      if (copied !== field) copy[key] = copied;
    }
    return copy;
  }

  #ofList(list: readonly unknown[], depth: number): unknown {
    const copy: unknown[] = [];
    for (const value of list) {
      this.#length += 6;
      copy.push(this.of(value, depth + 1));
      if (!this.#isExact) return undefined;
    }
    return copy;
  }
}

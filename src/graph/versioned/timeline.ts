/** Returns how many of these ascending versions are not newer than the given one. */
function countUpTo(versions: readonly number[], version: number): number {
  let high = versions.length;
  if (high === 0 || (versions[high - 1] as number) <= version) return high;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((versions[middle] as number) <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lists up to this length are copied to grow: an array that grows by itself has room for 16 more. */
const shortLength = 8;

/** The list with one more value, in itself or in a copy. */
function extended<Value>(list: Value[], value: Value): Value[] {
  // A spread would leave room too.
  if (list.length < shortLength) return list.concat([value]);
  list.push(value);
  return list;
}

/** An append-only list whose every earlier length can still be read: each value carries the version that added it. */
export class Timeline<Value> {
  /** The table it belongs to. */
  readonly table: PropertyKey;
  #next: Timeline<unknown> | undefined;
  /** The first entry has its own fields: most lists never get a second. */
  #firstVersion: number;
  #first: Value;
  #versions: number[] | undefined;
  #values: Value[] | undefined;

  constructor(table: PropertyKey, version: number, value: Value) {
    this.table = table;
    this.#next = undefined;
    this.#firstVersion = version;
    this.#first = value;
    this.#versions = undefined;
    this.#values = undefined;
  }

  /** The list of the same key in another table. */
  get next(): Timeline<unknown> | undefined {
    return this.#next;
  }

  /** Links the list of the same key in another table. */
  link(list: Timeline<unknown>): void {
    list.#next = this.#next;
    this.#next = list;
  }

  /** Adds a value and returns the previous one. Versions must not decrease. */
  push(version: number, value: Value): Value {
    if (this.#versions === undefined || this.#values === undefined) {
      this.#versions = [version];
      this.#values = [value];
      return this.#first;
    }
    const previous = this.#values[this.#values.length - 1] as Value;
    this.#versions = extended(this.#versions, version);
    this.#values = extended(this.#values, value);
    return previous;
  }

  /** The number of values. */
  get count(): number {
    return 1 + (this.#values?.length ?? 0);
  }

  /** The newest value. */
  get last(): Value {
    return this.#values === undefined ? this.#first : (this.#values[this.#values.length - 1] as Value);
  }

  /** Returns the number of values at that version. */
  countAt(version: number): number {
    if (version < this.#firstVersion) return 0;
    return this.#versions === undefined ? 1 : 1 + countUpTo(this.#versions, version);
  }

  /** Returns the newest value at that version. */
  lastAt(version: number): Value | undefined {
    const count = this.countAt(version);
    if (count === 0) return undefined;
    return count === 1 ? this.#first : this.#values?.[count - 2];
  }

  /** Returns a new array of the values from an index on at that version. */
  sliceFrom(start: number, version: number): Value[] {
    if (start === 0) return this.sliceAt(version);
    return this.#values?.slice(start - 1, Math.max(0, this.countAt(version) - 1)) ?? [];
  }

  /** Returns a new array of all values at that version. */
  sliceAt(version: number): Value[] {
    const count = this.countAt(version);
    if (count === 0) return [];
    return [this.#first, ...(this.#values?.slice(0, count - 1) ?? [])];
  }
}

/** What is known of a list: it begins with as many items of something that grows. */
interface Beginning {
  readonly origin: object;
  readonly length: number;
}

/** So many items at the end of a list may still be replaced when the list is given out next: nothing is said of them. */
const openEnd = 8;

const beginnings = new WeakMap<readonly unknown[], Beginning>();

/** How many items two lists are known to begin with alike, without looking at them. */
export function knownAlike(one: Beginning | undefined, other: Beginning | undefined): number {
  return one !== undefined && one.origin === other?.origin ? Math.min(one.length, other.length) : 0;
}

/** What is known of the beginning of a list. */
export function beginningOf(list: readonly unknown[]): Beginning | undefined {
  return beginnings.get(list);
}

/** Says that a list begins as another one; returns it. */
export function beginningAs<List extends readonly unknown[]>(list: List, other: readonly unknown[]): List {
  const beginning = beginnings.get(other);
  if (beginning !== undefined) beginnings.set(list, beginning);
  return list;
}

/**
 * Where lists come from that are copies of one list, which grows and, now and then, is cut: those that were given out
 * since it was cut begin alike. Whoever is given one must not change its beginning.
 */
export class ListOrigin {
  #origin = {};
  #given = 0;

  /** From this place on the list is another one. */
  cutTo(length: number): void {
    if (length >= this.#given) return;
    this.#origin = {};
    this.#given = 0;
  }

  /** Says that a list was copied from it; returns that. */
  given<List extends readonly unknown[]>(list: List): List {
    const length = Math.max(0, list.length - openEnd);
    this.#given = Math.max(this.#given, length);
    beginnings.set(list, { origin: this.#origin, length });
    return list;
  }
}

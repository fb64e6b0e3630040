/** What is known of a list: it begins with as many items of something that grows. */
interface Beginning {
  readonly origin: object;
  readonly length: number;
  /** The same of the list that this one continues. */
  readonly before: Beginning | undefined;
}

/** So many items at the end of a list may still be replaced when the list is given out next: nothing is said of them. */
const openEnd = 8;

const beginnings = new WeakMap<readonly unknown[], Beginning>();

/** How many items two lists are known to begin with alike, without looking at them. */
export function knownAlike(one: Beginning | undefined, other: Beginning | undefined): number {
  for (let a = one; a !== undefined; a = a.before)
    for (let b = other; b !== undefined; b = b.before) if (a.origin === b.origin) return Math.min(a.length, b.length);
  return 0;
}

/** What is known of the beginning of a list. */
export function beginningOf(list: readonly unknown[]): Beginning | undefined {
  return beginnings.get(list);
}

/**
 * Where lists come from that are copies of one list, which grows and, now and then, is cut: those that were given out
 * since it was cut begin alike. It may continue another list, which is never cut into. A caller that is given a list
 * must not change its beginning.
 */
export class ListOrigin {
  #origin = {};
  #given = 0;
  readonly #before: Beginning | undefined;

  constructor(continued: readonly unknown[] = []) {
    this.#before = beginnings.get(continued);
  }

  /** From this place on the list is another one. */
  cutTo(length: number): void {
    if (length >= this.#given) return;
    this.#origin = {};
    this.#given = 0;
  }

  /** Notes that a list was copied from it; returns that list. */
  given<List extends readonly unknown[]>(list: List): List {
    const length = Math.max(0, list.length - openEnd);
    this.#given = Math.max(this.#given, length);
    beginnings.set(list, { origin: this.#origin, length, before: this.#before });
    return list;
  }
}

/** Records that a list begins with `length` items of a growing origin. */
interface Beginning {
  readonly origin: object;
  readonly length: number;
  /** The beginning of the list that this one continues. */
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

/** Returns the recorded beginning of a list. */
export function getBeginning(list: readonly unknown[]): Beginning | undefined {
  return beginnings.get(list);
}

/**
 * The origin of lists that are copies of one growing list, which is sometimes cut: copies made since the last cut have
 * equal beginnings. The list may continue another one, which is never cut. A caller must not change the beginning of a
 * copy.
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

interface CachedList<Item, Made> {
  readonly items: Item[];
  readonly made: Made[];
  /** The number of leading items for which the made value is the item itself. */
  alike: number;
  /** The recorded beginning of `items`. */
  beginning: ReturnType<typeof getBeginning>;
  /** The origin of the copies of `made`. */
  readonly origin: ListOrigin;
}

/**
 * Caches the values made from the items of lists that continue one another; each value depends on its item and the
 * value before it. A prefix that two lists share is computed once, and is not compared when both are known to have one
 * origin. One list is cached for each first item, until that item is garbage collected.
 */
export class PrefixCache<Item extends object, Made> {
  readonly #make: (item: Item, before: Made | undefined) => Made;
  readonly #kept = new WeakMap<Item, CachedList<Item, Made>>();

  constructor(make: (item: Item, before: Made | undefined) => Made) {
    this.#make = make;
  }

  /** Returns the value made from each item. */
  each(items: readonly Item[]): Made[] {
    const kept = this.#findMade(items);
    return kept === undefined ? [] : kept.origin.given(kept.made.slice(0, items.length));
  }

  /** Returns whether the value made from each item is the item itself. */
  changesNone(items: readonly Item[]): boolean {
    const kept = this.#findMade(items);
    return kept === undefined || kept.alike >= items.length;
  }

  /** Returns the value made from the last item; undefined for an empty list. */
  last(items: readonly Item[]): Made | undefined {
    return this.#findMade(items)?.made[items.length - 1];
  }

  /** Returns the cached values of a list, and more when a longer list is cached; undefined for an empty list. */
  #findMade(list: readonly Item[]): CachedList<Item, Made> | undefined {
    const [first] = list;
    if (first === undefined) return undefined;
    let kept = this.#kept.get(first);
    if (kept === undefined)
      this.#kept.set(first, (kept = { items: [], made: [], alike: 0, beginning: undefined, origin: new ListOrigin() }));
    const { items, made, origin } = kept;
    const shared = Math.min(items.length, list.length);
    const beginning = getBeginning(list);
    let at = knownAlike(kept.beginning, beginning);
    while (at < shared && items[at] === list[at]) at++;
    if (at < shared) {
      items.length = made.length = at;
      kept.alike = Math.min(kept.alike, at);
      origin.cutTo(at);
    }
    for (; at < list.length; at++) {
      const item = list[at] as Item;
      const one: unknown = made[made.push(this.#make(item, made[at - 1])) - 1];
      if (one === item && kept.alike === at) kept.alike++;
      items.push(item);
    }
    kept.beginning = beginning;
    return kept;
  }
}

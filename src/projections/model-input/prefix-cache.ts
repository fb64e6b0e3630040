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
export function getBeginning(list: readonly unknown[]): Beginning | undefined {
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

interface CachedList<Item, Made> {
  readonly items: Item[];
  readonly made: Made[];
  /** How many items the list begins with that what is made of them is the same. */
  alike: number;
  /** What is known of the beginning of `items`. */
  beginning: ReturnType<typeof getBeginning>;
  /** Where what is given out of `made` comes from. */
  readonly origin: ListOrigin;
}

/**
 * What is made of the items of lists that go on from one another: of an item, and of what was made of the one before it.
 * What lists begin with alike is made once, and not looked at again when they are known to come from one list. One list
 * is kept for each first item, for as long as somebody has that item.
 */
export class PrefixCache<Item extends object, Made> {
  readonly #make: (item: Item, before: Made | undefined) => Made;
  readonly #kept = new WeakMap<Item, CachedList<Item, Made>>();

  constructor(make: (item: Item, before: Made | undefined) => Made) {
    this.#make = make;
  }

  /** What is made of each item. */
  each(items: readonly Item[]): Made[] {
    const kept = this.#findMade(items);
    return kept === undefined ? [] : kept.origin.given(kept.made.slice(0, items.length));
  }

  /** Whether of each item that item itself is made. */
  changesNone(items: readonly Item[]): boolean {
    const kept = this.#findMade(items);
    return kept === undefined || kept.alike >= items.length;
  }

  /** What is made of the last item; undefined when there is none. */
  last(items: readonly Item[]): Made | undefined {
    return this.#findMade(items)?.made[items.length - 1];
  }

  /** What is made of the items, and of more when a longer list is known; undefined when there are none. */
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

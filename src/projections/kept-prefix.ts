/**
 * What is made of the items of lists that go on from one another: of an item, and of what was made of the one before it.
 * What lists begin with alike is made once. One list is kept for each first item, for as long as somebody has that item.
 */
export class KeptPrefix<Item extends object, Made> {
  readonly #make: (item: Item, before: Made | undefined) => Made;
  readonly #kept = new WeakMap<Item, { readonly items: Item[]; readonly made: Made[] }>();

  constructor(make: (item: Item, before: Made | undefined) => Made) {
    this.#make = make;
  }

  /** What is made of each item. */
  each(items: readonly Item[]): Made[] {
    return this.#madeOf(items).slice(0, items.length);
  }

  /** What is made of the last item; undefined when there is none. */
  last(items: readonly Item[]): Made | undefined {
    return this.#madeOf(items)[items.length - 1];
  }

  /** What is made of the items, and of more when a longer list is known. */
  #madeOf(list: readonly Item[]): readonly Made[] {
    const [first] = list;
    if (first === undefined) return [];
    let kept = this.#kept.get(first);
    if (kept === undefined) this.#kept.set(first, (kept = { items: [], made: [] }));
    const { items, made } = kept;
    const shared = Math.min(items.length, list.length);
    let at = 0;
    while (at < shared && items[at] === list[at]) at++;
    if (at < shared) items.length = made.length = at;
    for (; at < list.length; at++) {
      const item = list[at] as Item;
      made.push(this.#make(item, made[at - 1]));
      items.push(item);
    }
    return made;
  }
}

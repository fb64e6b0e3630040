const pageSize = 256;

/**
 * An immutable list in pages. A longer list shares the pages of the one it continues, so showing a list that grows
 * costs a page and not the list; reading a few items costs those.
 */
export class PagedList<Item> implements Iterable<Item> {
  readonly length: number;
  /** All but the last have `pageSize` items. */
  readonly #pages: readonly (readonly Item[])[];
  #items: readonly Item[] | undefined;

  private constructor(pages: readonly (readonly Item[])[], length: number) {
    this.#pages = pages;
    this.length = length;
  }

  static of<Item>(items: readonly Item[]): PagedList<Item> {
    return new PagedList<Item>([], 0).withEnd(0, items);
  }

  /** The item at a place; counted from the end when the place is negative. */
  at(place: number): Item | undefined {
    const from = place < 0 ? this.length + place : place;
    return this.#pages[Math.floor(from / pageSize)]?.[from % pageSize];
  }

  /** A window of the list, with places as `Array.slice` takes them. */
  slice(from = 0, to = this.length): Item[] {
    const start = from < 0 ? Math.max(this.length + from, 0) : from;
    const end = to < 0 ? this.length + to : Math.min(to, this.length);
    const items: Item[] = [];
    for (let place = start; place < end; place++) items.push(this.at(place) as Item);
    return items;
  }

  /** The last item for which something is found, as that. */
  findLast<Found>(find: (item: Item) => Found | undefined): Found | undefined {
    for (let place = this.length - 1; place >= 0; place--) {
      const found = find(this.at(place) as Item);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The whole list as an array, made once. */
  get items(): readonly Item[] {
    return (this.#items ??= this.#pages.flat());
  }

  /** The first items of this list, and others after them. */
  withEnd(kept: number, end: readonly Item[]): PagedList<Item> {
    if (kept === this.length && end.length === 0) return this;
    const whole = Math.floor(kept / pageSize);
    const pages = this.#pages.slice(0, whole);
    let page = (this.#pages[whole] ?? []).slice(0, kept % pageSize);
    for (const item of end) {
      page.push(item);
      if (page.length < pageSize) continue;
      pages.push(page);
      page = [];
    }
    if (page.length > 0) pages.push(page);
    return new PagedList(pages, kept + end.length);
  }

  /** The list with another item in one place. */
  with(place: number, item: Item): PagedList<Item> {
    const page = Math.floor(place / pageSize);
    return new PagedList(
      this.#pages.with(page, (this.#pages[page] as readonly Item[]).with(place % pageSize, item)),
      this.length,
    );
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.items[Symbol.iterator]();
  }
}

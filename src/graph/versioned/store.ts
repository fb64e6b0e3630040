import { GrowingText } from './growing-text.ts';
import { Growth } from './growth.ts';
import { Timeline } from './timeline.ts';

/** The stores of one state and of all its branches: a version number is used once among them. */
export interface Lineage {
  newest: number;
}

/**
 * The storage that successive states of a fold share: tables of lists, and growing texts. It only grows, and every
 * entry carries the version that added it; a state is a store and a version number, and reads the entries of that
 * version. Advancing a state that is not the newest starts a new store on top of it.
 */
export class Store<Tables> {
  /** The newest version. */
  head: number;
  /** The state it extends; a read that finds nothing here continues there. */
  readonly base: Snapshot<Tables> | undefined;
  readonly depth: number;
  readonly lineage: Lineage;
  /** The first list of each key; the lists of a key in other tables are linked to it. */
  readonly #lists = new Map<string, Timeline<unknown>>();
  /** The first list of the empty key, and of the key that was found last: most of what an event reads. */
  #emptyKeyList: Timeline<unknown> | undefined;
  #recentKey = '';
  #recentList: Timeline<unknown> | undefined;
  readonly texts = new Map<string, GrowingText>();
  readonly growth = new Growth();
  /** Writes the next version. */
  readonly draft: Draft<Tables>;
  /** The last step: requesting it again returns the same state and starts no new store. */
  lastEvent: object | undefined;
  lastFrom = -1;
  lastNext: Snapshot<Tables> | undefined;

  constructor(base: Snapshot<Tables> | undefined, lineage: Lineage, head: number) {
    this.base = base;
    this.depth = base === undefined ? 0 : base.store.depth + 1;
    this.lineage = lineage;
    this.head = head;
    this.draft = new Draft(this);
  }

  /** The list of a key. */
  timeline<Name extends keyof Tables>(name: Name, key: string): Timeline<Tables[Name]> | undefined {
    for (let list = this.#firstList(key); list !== undefined; list = list.next)
      if (list.table === name) return list as Timeline<Tables[Name]>;
    return undefined;
  }

  /** The first of the lists of a key. */
  #firstList(key: string): Timeline<unknown> | undefined {
    if (key === '') return this.#emptyKeyList;
    if (key === this.#recentKey) return this.#recentList;
    const list = this.#lists.get(key);
    if (list !== undefined) {
      this.#recentKey = key;
      this.#recentList = list;
    }
    return list;
  }

  /** All lists, by table and key. */
  *timelines(): Generator<[keyof Tables, string, Timeline<unknown>]> {
    for (const [key, first] of this.#lists)
      for (let list: Timeline<unknown> | undefined = first; list !== undefined; list = list.next)
        yield [list.table as keyof Tables, key, list];
  }

  /** Adds a value to the list of a key, at the newest version; returns the previous value. */
  add<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): Tables[Name] | undefined {
    const timeline = this.timeline(name, key);
    if (timeline !== undefined) return timeline.push(this.head, value);
    this.#begin(name, key, value);
    return this.base?.last(name, key);
  }

  /** The same, unless the value was added to this store last. */
  set<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): void {
    const timeline = this.timeline(name, key);
    if (timeline === undefined) this.#begin(name, key, value);
    else if (timeline.last !== value) timeline.push(this.head, value);
  }

  #begin<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): void {
    const list = new Timeline(name, this.head, value);
    const first = this.#firstList(key);
    if (first !== undefined) return first.link(list);
    this.#lists.set(key, list);
    if (key === '') this.#emptyKeyList = list;
  }

  /** Creates a text at the newest version. */
  write(key: string, text: string, owner: object | undefined): void {
    this.texts.set(key, new GrowingText(this.head, text, this.growth, owner));
  }
}

/** The state that an event is being added to: only the draft reads back what was written. */
export class Draft<Tables> {
  readonly #store: Store<Tables>;
  /** Whether something was written in this step. */
  changed = false;
  /** A cache that a step leaves for the next ones; nothing depends on it. */
  hint: unknown;

  constructor(store: Store<Tables>) {
    this.#store = store;
  }

  /** The version that is being written: no other state of this one's branches has it. */
  get version(): number {
    return this.#store.head;
  }

  last<Name extends keyof Tables>(name: Name, key: string): Tables[Name] | undefined {
    return this.#store.timeline(name, key)?.last ?? this.#store.base?.last(name, key);
  }

  count(name: keyof Tables, key: string): number {
    const own = this.#store.timeline(name, key)?.count ?? 0;
    return own + (this.#store.base?.count(name, key) ?? 0);
  }

  all<Name extends keyof Tables>(name: Name, key: string): readonly Tables[Name][] {
    const own = this.#store.timeline(name, key)?.sliceAt(this.#store.head) ?? [];
    const base = this.#store.base?.all(name, key) ?? [];
    return base.length === 0 ? own : [...base, ...own];
  }

  /** Adds a value to the list of a key, whose current value it becomes; returns the previous one. */
  add<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): Tables[Name] | undefined {
    this.changed = true;
    return this.#store.add(name, key, value);
  }

  /** Adds a value; the same value twice in succession is mostly added once. */
  set<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): void {
    this.changed = true;
    this.#store.set(name, key, value);
  }

  /** Appends to the text of a key, which begins empty and may belong to an owner. */
  grow(key: string, fragment: string, owner?: object): void {
    this.changed = true;
    const text = this.#store.texts.get(key);
    if (text === undefined) this.#begin(key, fragment, owner);
    else text.append(this.#store.head, fragment);
  }

  #begin(key: string, fragment: string, owner: object | undefined): void {
    const { base } = this.#store;
    this.#store.write(key, (base?.text(key) ?? '') + fragment, owner ?? base?.owner(key));
  }

  /** Returns the location of a key's text, and of its values; undefined when it does not exist yet. */
  text(key: string): GrowingText | undefined {
    return this.#store.texts.get(key);
  }

  list<Name extends keyof Tables>(name: Name, key: string): Timeline<Tables[Name]> | undefined {
    return this.#store.timeline(name, key);
  }

  /** Like `add` and `grow`, for known locations. */
  addTo<Value>(list: Timeline<Value>, value: Value): void {
    this.changed = true;
    list.push(this.#store.head, value);
  }

  growAt(text: GrowingText, fragment: string): void {
    this.changed = true;
    text.append(this.#store.head, fragment);
  }
}

/** A store at one version: an immutable state. The newest value of a key's list is its current value. */
export class Snapshot<Tables> {
  readonly #store: Store<Tables>;
  readonly #version: number;
  /** The seq of its newest logged event. */
  readonly seq: number | undefined;

  constructor(store: Store<Tables>, version: number, seq: number | undefined) {
    this.#store = store;
    this.#version = version;
    this.seq = seq;
  }

  get store(): Store<Tables> {
    return this.#store;
  }

  get version(): number {
    return this.#version;
  }

  /** Returns a state of the same class. */
  at(store: Store<Tables>, version: number, seq: number | undefined): Snapshot<Tables> {
    return new Snapshot(store, version, seq);
  }

  /** The newest value of a key. */
  last<Name extends keyof Tables>(name: Name, key: string): Tables[Name] | undefined {
    for (let at: Snapshot<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const last = at.#store.timeline(name, key)?.lastAt(at.#version);
      if (last !== undefined) return last;
    }
    return undefined;
  }

  /** The number of values of a key. */
  count(name: keyof Tables, key: string): number {
    let count = 0;
    for (let at: Snapshot<Tables> | undefined = this; at !== undefined; at = at.#store.base)
      count += at.#store.timeline(name, key)?.countAt(at.#version) ?? 0;
    return count;
  }

  /** Returns a new array of all values of a key, oldest first. */
  all<Name extends keyof Tables>(name: Name, key: string): Tables[Name][] {
    const own = this.#store.timeline(name, key)?.sliceAt(this.#version) ?? [];
    const base = this.#store.base?.all(name, key) ?? [];
    return base.length === 0 ? own : [...base, ...own];
  }

  /** The values of a key from an index on, oldest first. */
  from<Name extends keyof Tables>(name: Name, key: string, start: number): readonly Tables[Name][] {
    const { base } = this.#store;
    const before = base?.count(name, key) ?? 0;
    const own = this.#store.timeline(name, key)?.sliceFrom(Math.max(0, start - before), this.#version) ?? [];
    return base === undefined || start >= before ? own : [...base.from(name, key, start), ...own];
  }

  /** Returns the text of a key; empty when the key has no text. */
  text(key: string): string {
    const found = this.#findText(key);
    return found === undefined ? '' : found.text.at(found.version);
  }

  /** The owner of a key's text. */
  owner(key: string): object | undefined {
    return this.#findText(key)?.text.owner;
  }

  /**
   * Returns the result of `complete` for the text of a key and its owner, cached for the newest text; undefined when
   * the text has no owner.
   */
  completed(key: string, complete: (owner: object, text: string) => object): object | undefined {
    for (let at: Snapshot<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const text = at.#store.texts.get(key);
      if (text !== undefined && text.born <= at.#version) return text.completed(at.#version, complete);
    }
    return undefined;
  }

  #findText(key: string): { readonly text: GrowingText; readonly version: number } | undefined {
    for (let at: Snapshot<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const text = at.#store.texts.get(key);
      if (text !== undefined && text.born <= at.#version) return { text, version: at.#version };
    }
    return undefined;
  }

  /** All values, list by list, oldest first. */
  *values(): Generator<[keyof Tables, string, readonly unknown[]]> {
    if (this.#store.base !== undefined) yield* this.#store.base.values();
    for (const [name, key, timeline] of this.#store.timelines()) yield [name, key, timeline.sliceAt(this.#version)];
  }

  /** The keys of the texts, some twice when a newer store has them too. */
  *texts(): Generator<string> {
    if (this.#store.base !== undefined) yield* this.#store.base.texts();
    for (const [key, text] of this.#store.texts) if (text.born <= this.#version) yield key;
  }
}

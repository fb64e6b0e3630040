import { Draft } from './draft.ts';
import { GrowingText } from './growing-text.ts';
import { Growth } from './growth.ts';
import type { Snapshot } from './snapshot.ts';
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

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
  /** A table is created with its first key. */
  readonly #tables: { [Name in keyof Tables]?: Map<string, Timeline<Tables[Name]>> } = {};
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
    return this.#tables[name]?.get(key);
  }

  /** All lists, by table and key. */
  *timelines(): Generator<[keyof Tables, string, Timeline<unknown>]> {
    for (const name of Object.keys(this.#tables) as (keyof Tables)[])
      for (const [key, timeline] of this.#tables[name] ?? []) yield [name, key, timeline];
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
    (this.#tables[name] ??= new Map()).set(key, new Timeline(this.head, value));
  }

  /** Creates a text at the newest version. */
  write(key: string, text: string, owner: object | undefined): void {
    this.texts.set(key, new GrowingText(this.head, text, this.growth, owner));
  }
}

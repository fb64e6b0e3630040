import { Growth } from '../growth.ts';
import { Timeline } from '../timeline.ts';
import { GrowingText } from './growing-text.ts';
import type { Moment } from './moment.ts';

/**
 * The storage that successive states of a fold share: tables of lists, and growing texts. It only grows, and every
 * entry carries the version that added it; a state is a store and a version number, and reads the entries of that
 * version.
 */
export class Store<Tables> {
  /** The newest version. */
  head = 0;
  /** The state it extends; a read that finds nothing here continues there. */
  readonly base: Moment<Tables> | undefined;
  readonly depth: number;
  readonly #tables = new Map<keyof Tables, Map<string, Timeline<unknown>>>();
  readonly texts = new Map<string, GrowingText>();
  readonly growth = new Growth();
  /** The last step: requesting it again returns the same state. */
  lastEvent: object | undefined;
  lastFrom: number;
  lastNext: Moment<Tables> | undefined;
  /** A cache that a step leaves for the next ones; nothing depends on it. */
  hint: unknown;

  constructor(base: Moment<Tables> | undefined) {
    this.base = base;
    this.depth = base === undefined ? 0 : base.store.depth + 1;
    this.lastFrom = -1;
  }

  /** The list of a key. */
  timeline<Name extends keyof Tables>(name: Name, key: string): Timeline<Tables[Name]> | undefined {
    return this.#tables.get(name)?.get(key) as Timeline<Tables[Name]> | undefined;
  }

  /** All lists, by table and key. */
  *timelines(): Generator<[keyof Tables, string, Timeline<unknown>]> {
    for (const [name, table] of this.#tables) for (const [key, timeline] of table) yield [name, key, timeline];
  }

  /** Adds a value to the list of a key, at the newest version. */
  add<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): void {
    let table = this.#tables.get(name);
    if (table === undefined) this.#tables.set(name, (table = new Map()));
    const timeline = table.get(key);
    if (timeline === undefined) table.set(key, new Timeline<unknown>(this.head, value));
    else timeline.push(this.head, value);
  }

  /** Creates a text at the newest version. */
  write(key: string, text: string): void {
    this.texts.set(key, new GrowingText(this.head, text, this.growth));
  }
}

import type { Store } from './store.ts';

/** A store as it was at one version: an immutable state. The newest value of a key's list is its current value. */
export class Moment<Tables> {
  readonly #store: Store<Tables>;
  readonly #version: number;
  /** The seq of the newest logged event in it. */
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

  /** The newest value of a key. */
  last<Name extends keyof Tables>(name: Name, key: string): Tables[Name] | undefined {
    for (let at: Moment<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const last = at.#store.tables[name]?.get(key)?.lastAt(at.#version);
      if (last !== undefined) return last;
    }
    return undefined;
  }

  /** How many values a key has. */
  count<Name extends keyof Tables>(name: Name, key: string): number {
    let count = 0;
    for (let at: Moment<Tables> | undefined = this; at !== undefined; at = at.#store.base)
      count += at.#store.tables[name]?.get(key)?.countAt(at.#version) ?? 0;
    return count;
  }

  /** All values of a key, oldest first. */
  all<Name extends keyof Tables>(name: Name, key: string): readonly Tables[Name][] {
    const own = this.#store.tables[name]?.get(key)?.sliceAt(this.#version) ?? [];
    const base = this.#store.base?.all(name, key) ?? [];
    return base.length === 0 ? own : [...base, ...own];
  }

  /** The text of a key; empty when there is none. */
  text(key: string): string {
    for (let at: Moment<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const text = at.#store.texts.get(key);
      if (text !== undefined && text.born <= at.#version) return text.at(at.#version);
    }
    return '';
  }

  /** The keys of a table, in no particular order; some twice when a newer store has them too. */
  *keys<Name extends keyof Tables>(name: Name): Generator<string> {
    if (this.#store.base !== undefined) yield* this.#store.base.keys(name);
    for (const [key, timeline] of this.#store.tables[name] ?? [])
      if (timeline.countAt(this.#version) > 0) yield key;
  }

  /** The names of the tables that have been written to. */
  *tables(): Generator<keyof Tables> {
    if (this.#store.base !== undefined) yield* this.#store.base.tables();
    yield* Object.keys(this.#store.tables) as (keyof Tables)[];
  }

  /** The keys of the texts, some twice when a newer store has them too. */
  *texts(): Generator<string> {
    if (this.#store.base !== undefined) yield* this.#store.base.texts();
    for (const [key, text] of this.#store.texts) if (text.born <= this.#version) yield key;
  }
}

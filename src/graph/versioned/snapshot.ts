import type { GrowingText } from './growing-text.ts';
import type { Store } from './store.ts';

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

  /** The text of a key; empty when there is none. */
  text(key: string): string {
    const found = this.#findText(key);
    return found === undefined ? '' : found.text.at(found.version);
  }

  /** The owner of a key's text. */
  owner(key: string): object | undefined {
    return this.#findText(key)?.text.owner;
  }

  /**
   * Returns what `complete` makes of the owner of a key's text and the text, the same object for the newest text;
   * undefined when the text has no owner.
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

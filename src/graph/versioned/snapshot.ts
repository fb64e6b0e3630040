import type { Complete, GrowingText } from './growing-text.ts';
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

  /** All values of a key, oldest first. */
  all<Name extends keyof Tables>(name: Name, key: string): readonly Tables[Name][] {
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
    for (let at: Snapshot<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const text = at.#ownText(key);
      if (text !== undefined) return text.at(at.#version);
    }
    return '';
  }

  /** Returns what `complete` makes of a value and the text of a key; the same object for the newest text. */
  completed<Value extends object>(key: string, value: Value, complete: Complete<Value>): Value {
    for (let at: Snapshot<Tables> | undefined = this; at !== undefined; at = at.#store.base) {
      const text = at.#ownText(key);
      if (text !== undefined) return text.complete(at.#version, value, complete);
    }
    return value;
  }

  #ownText(key: string): GrowingText | undefined {
    const text = this.#store.texts.get(key);
    return text !== undefined && text.born <= this.#version ? text : undefined;
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

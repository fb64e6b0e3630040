import type { GrowingText } from './growing-text.ts';
import type { Store } from './store.ts';
import type { Timeline } from './timeline.ts';

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

import type { Timeline } from '../timeline.ts';
import type { GrowingText } from './growing-text.ts';
import type { Moment } from './moment.ts';
import type { Store } from './store.ts';

/** The state that an event is being added to: only the draft reads back what was written. */
export class Draft<Tables> {
  readonly #from: Moment<Tables>;
  readonly #store: Store<Tables>;
  #changed = false;

  constructor(from: Moment<Tables>) {
    this.#from = from;
    this.#store = from.store;
  }

  get changed(): boolean {
    return this.#changed;
  }

  /** The version that is being written. */
  get version(): number {
    return this.#store.head;
  }

  /** The cache of an earlier step. */
  get hint(): unknown {
    return this.#store.hint;
  }

  set hint(hint: unknown) {
    this.#store.hint = hint;
  }

  last<Name extends keyof Tables>(name: Name, key: string): Tables[Name] | undefined {
    return this.#store.timeline(name, key)?.lastAt(this.#store.head) ?? this.#store.base?.last(name, key) ?? undefined;
  }

  count(name: keyof Tables, key: string): number {
    const own = this.#store.timeline(name, key)?.countAt(this.#store.head) ?? 0;
    return own + (this.#store.base?.count(name, key) ?? 0);
  }

  all<Name extends keyof Tables>(name: Name, key: string): readonly Tables[Name][] {
    const own = this.#store.timeline(name, key)?.sliceAt(this.#store.head) ?? [];
    return [...(this.#store.base?.all(name, key) ?? []), ...own];
  }

  /** Adds a value to the list of a key; it becomes the key's current value. */
  add<Name extends keyof Tables>(name: Name, key: string, value: Tables[Name]): void {
    this.#changed = true;
    this.#store.add(name, key, value);
  }

  /** Appends to the text of a key, which begins empty. */
  grow(key: string, fragment: string): void {
    this.#changed = true;
    const text = this.#store.texts.get(key);
    if (text === undefined) this.#store.write(key, this.#from.text(key) + fragment);
    else text.append(this.#store.head, fragment);
  }

  /** Returns the location of a key's values, and of its text; undefined when it does not exist yet. */
  list<Name extends keyof Tables>(name: Name, key: string): Timeline<Tables[Name]> | undefined {
    return this.#store.timeline(name, key);
  }

  text(key: string): GrowingText | undefined {
    return this.#store.texts.get(key);
  }

  /** Like `add` and `grow`, for known locations. */
  addTo<Value>(list: Timeline<Value>, value: Value): void {
    this.#changed = true;
    list.push(this.#store.head, value);
  }

  growAt(text: GrowingText, fragment: string): void {
    this.#changed = true;
    text.append(this.#store.head, fragment);
  }
}

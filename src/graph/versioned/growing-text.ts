import type { Growth } from './growth.ts';

/** A growing text: it keeps one string, and its growth has the length at each version. */
export class GrowingText {
  readonly born: number;
  readonly #growth: Growth;
  #text: string;
  #newest: number;
  #entry: number;
  #completed: unknown;

  constructor(version: number, text: string, growth: Growth) {
    this.born = version;
    this.#growth = growth;
    this.#text = text;
    this.#newest = version;
    this.#entry = growth.add(version, text.length, -1);
  }

  append(version: number, fragment: string): void {
    this.#text += fragment;
    this.#newest = version;
    this.#entry = this.#growth.add(version, this.#text.length, this.#entry);
    this.#completed = undefined;
  }

  /** Returns the text at that version. */
  at(version: number): string {
    return version >= this.#newest ? this.#text : this.#text.slice(0, this.#growth.lengthAt(this.#entry, version));
  }

  /** Returns what `complete` makes of a value and the text at that version; the same object for the newest text. */
  complete<Value extends object>(version: number, value: Value, complete: Complete<Value>): Value {
    if (version < this.#newest) return complete(value, this.at(version));
    this.#completed ??= complete(value, this.#text);
    return this.#completed as Value;
  }
}

/** Returns a value with its text. */
export type Complete<Value> = (value: Value, text: string) => Value;

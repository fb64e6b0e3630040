import type { Growth } from './growth.ts';

/** A growing text: it keeps one string, and its growth has the length at each version. */
export class GrowingText {
  readonly born: number;
  readonly #growth: Growth;
  #text: string;
  #newest: number;
  #entry: number;
  /** The owner of the text; undefined when it has none. */
  readonly owner: object | undefined;
  #completed: object | undefined;

  constructor(version: number, text: string, growth: Growth, owner: object | undefined) {
    this.born = version;
    this.owner = owner;
    this.#completed = undefined;
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

  /** Returns the result of `complete` for the owner and the text at a version; cached for the newest text. */
  completed(version: number, complete: (owner: object, text: string) => object): object | undefined {
    const { owner } = this;
    if (owner === undefined) return undefined;
    if (version < this.#newest) return complete(owner, this.at(version));
    return (this.#completed ??= complete(owner, this.#text));
  }
}

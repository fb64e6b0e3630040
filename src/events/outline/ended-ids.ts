/** The maximum number of ids. */
const mostIds = 64;

/** The ids of recently ended items: an event that refers to one of them starts no new item. */
export class EndedIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Adds an id as the newest; the oldest is dropped when there are too many. */
  add(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= mostIds) return;
      this.#ids.delete(oldest);
    }
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }

  /** Replaces all of them. */
  reset(ids: readonly string[]): void {
    this.#ids.clear();
    for (const id of ids) this.#ids.add(id);
  }

  /** All of them, oldest first. */
  list(): string[] {
    return [...this.#ids];
  }
}

const width = 3;

/** The lengths of growing texts, one entry for each fragment, linked to the previous entry. */
export class Growth {
  #entries = new Int32Array(32 * width);
  #count = 0;

  /** Records the length of a text from this version on; returns the entry, to be linked from the next one. */
  add(version: number, length: number, previous: number): number {
    const at = this.#count * width;
    if (at === this.#entries.length) {
      const larger = new Int32Array(at * 2);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[at] = version;
    this.#entries[at + 1] = length;
    this.#entries[at + 2] = previous;
    return this.#count++;
  }

  /** Returns the length of a text at a version, given its newest entry; walks back over later ones. */
  lengthAt(entry: number, version: number): number {
    const entries = this.#entries;
    let at = entry;
    while (at >= 0 && (entries[at * width] as number) > version) at = entries[at * width + 2] as number;
    return at < 0 ? 0 : (entries[at * width + 1] as number);
  }
}

const width = 3;

/** The lengths that growing texts had, one entry for each fragment, linked back to the entry before it. */
export class Growth {
  #entries = new Int32Array(32 * width);
  #count = 0;

  /** Notes that a text has this length from this version on; returns the entry, to be linked from the next one. */
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

  /** The length a text had at a version, given its newest entry; walks back over what came after. */
  lengthAt(entry: number, version: number): number {
    const entries = this.#entries;
    let at = entry;
    while (at >= 0 && (entries[at * width] as number) > version) at = entries[at * width + 2] as number;
    return at < 0 ? 0 : (entries[at * width + 1] as number);
  }
}

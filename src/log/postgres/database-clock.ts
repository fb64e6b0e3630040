/**
 * The clock of the database as this process can read it without asking: a monotonic clock and the difference to it. Each
 * time that the database reports corrects the difference.
 */
export class DatabaseClock {
  readonly #monotonic: () => number;
  #difference: number;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
    this.#difference = Date.now() - monotonic();
  }

  now(): number {
    return Math.floor(this.#monotonic() + this.#difference);
  }

  /** Marks the moment before a request; the returned function takes the time that the answer reports. */
  measure(): (databaseMs: number) => void {
    const sent = this.#monotonic();
    return databaseMs => {
      const earliest = databaseMs - this.#monotonic();
      const latest = databaseMs - sent;
      this.#difference = Math.min(Math.max(this.#difference, earliest), latest);
    };
  }
}

/** Stores which runs and which work are expanded. The initial state of each is kept until the reader changes it. */
export class Folds {
  readonly #open = new Map<string, boolean>();
  readonly #running = new Set<string>();
  #version = 0;

  /** Changes with each decision of the reader. */
  get version(): number {
    return this.#version;
  }

  /** Whether it is open; as given when it is seen for the first time. */
  isOpen(id: string, atFirst: boolean): boolean {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    this.#open.set(id, atFirst);
    return atFirst;
  }

  set(id: string, isOpen: boolean): void {
    this.#open.set(id, isOpen);
    this.#version++;
  }

  /** Records that the reader saw a run at work: its work stays open when it ends. */
  sawRunning(id: string): void {
    this.#running.add(id);
  }

  wasRunning(id: string): boolean {
    return this.#running.has(id);
  }
}

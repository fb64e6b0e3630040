import { type Connection, query } from './statement.ts';

/** Looks, from time to time, whether another process wrote to a file. */
export class FileWatch {
  readonly #version;
  readonly #pollMs: number;
  readonly #onChange: () => void;
  /** Changes when another process wrote to the file. */
  #seen: number;
  #poll: ReturnType<typeof setInterval> | undefined;
  /** Whether a tail waits. Tails stop waiting during each batch; the timer is kept for that time. */
  #isAwaited = false;
  #isClosed = false;

  constructor(db: Connection, { pollMs, onChange }: { readonly pollMs: number; readonly onChange: () => void }) {
    this.#version = query(db, 'PRAGMA log.data_version');
    this.#pollMs = pollMs;
    this.#onChange = onChange;
    this.#seen = this.#read();
  }

  /** Sets whether a tail waits for a change. */
  await(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    if (!isAwaited) this.#poll?.unref();
    else if (this.#poll !== undefined) this.#poll.ref();
    else if (!this.#isClosed) {
      this.#poll = setInterval(() => this.#look(), this.#pollMs);
      this.#look();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #look(): void {
    if (!this.#isAwaited) return this.#stop();
    const version = this.#read();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#onChange();
  }

  /** Returns NaN when the file cannot be read, so that the tails read it themselves and end with the error. */
  #read(): number {
    try {
      return (this.#version.get() as [number])[0];
    } catch {
      return Number.NaN;
    }
  }
}

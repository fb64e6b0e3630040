import { forgetOldest } from '../cli/forget-oldest.ts';
import type { Stamp } from '../workspace/index.ts';

/** Which state of which file each run has seen last; the oldest are forgotten. */
export class SeenFiles {
  readonly #stamps = new Map<string, Stamp>();

  /** Takes note that a run read or wrote a file; undefined when it removed it. */
  note(runId: string, real: string, stamp: Stamp | undefined): void {
    const key = keyOf(runId, real);
    this.#stamps.delete(key);
    if (stamp !== undefined) this.#stamps.set(key, stamp);
    forgetOldest(this.#stamps);
  }

  stampOf(runId: string, real: string): Stamp | undefined {
    return this.#stamps.get(keyOf(runId, real));
  }
}

function keyOf(runId: string, real: string): string {
  return `${runId}\0${real}`;
}

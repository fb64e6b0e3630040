import { dropOldest } from '../../drop-oldest.ts';

/** A tool call that waits for its result. */
export interface OpenCall {
  /** The id of its event. */
  readonly id: string;
  readonly runId: string;
  readonly name: string;
  readonly input: unknown;
  started: boolean;
}

/**
 * Pairs calls with results by the program's own ids. Event ids stay unique when the program reuses an id, and memory
 * stays bounded: the oldest entries are dropped first.
 */
export class OpenCalls {
  readonly #open = new Map<string, OpenCall | 'ambiguous'>();
  readonly #uses = new Map<string, number>();

  /** Registers a call; its event id is made from the run and the program's id. */
  add(rawId: string, { runId, name, input }: Omit<OpenCall, 'id' | 'started'>): OpenCall {
    const uses = (this.#uses.get(rawId) ?? 0) + 1;
    this.#uses.set(rawId, uses);
    const id = uses > 1 ? `${runId}/${rawId}#${uses}` : `${runId}/${rawId}`;
    const open: OpenCall = { id, runId, name, input, started: false };
    this.#open.set(rawId, this.#open.has(rawId) ? 'ambiguous' : open);
    dropOldest(this.#uses);
    dropOldest(this.#open);
    return open;
  }

  /** Returns the open call with this id; `ambiguous` if several have it, undefined if no call has it. */
  find(rawId: string): OpenCall | 'ambiguous' | undefined {
    return this.#open.get(rawId);
  }

  /** Returns the newest open call that matches, with the program's id. */
  findLast(matches: (call: OpenCall) => boolean): { rawId: string; call: OpenCall } | undefined {
    for (const [rawId, call] of [...this.#open].toReversed())
      if (call !== 'ambiguous' && matches(call)) return { rawId, call };
    return undefined;
  }

  /** Like `find`, and closes the call. */
  settle(rawId: string): OpenCall | 'ambiguous' | undefined {
    const found = this.find(rawId);
    if (found !== 'ambiguous') this.#open.delete(rawId);
    return found;
  }
}

import type { AgentEvent } from '../vocabulary.ts';
import type { OutlinedBlock } from './outlined-block.ts';

/** A call of a tool, or an execution of code. */
export interface OutlinedCall {
  readonly id: string;
  readonly runId: string;
  readonly event: AgentEvent;
  /** The block that its result answers; an execution and a call that the provider executes answer none. */
  readonly block?: OutlinedBlock;
  start?: AgentEvent;
  isOpen: boolean;
}

/** The calls that still matter: those that are open, and those that something open refers to. */
export class OutlinedCalls {
  readonly #calls = new Map<string, OutlinedCall>();

  /** Adds a call as the newest; it replaces one of the same run and id. */
  add(call: OutlinedCall): void {
    this.delete(call);
    this.#calls.set(keyOf(call.runId, call.id), call);
  }

  delete({ runId, id }: OutlinedCall): void {
    this.#calls.delete(keyOf(runId, id));
  }

  /** The call of an id in a run. */
  own(id: string, runId: string): OutlinedCall | undefined {
    return this.#calls.get(keyOf(runId, id));
  }

  /** The call of an id: that of the run when it has one, else the newest. */
  find(id: string, runId?: string): OutlinedCall | undefined {
    const own = runId === undefined ? undefined : this.own(id, runId);
    if (own !== undefined) return own;
    let found: OutlinedCall | undefined;
    for (const call of this.#calls.values()) if (call.id === id) found = call;
    return found;
  }

  /** All calls, oldest first; calls may be deleted meanwhile. */
  all(): Iterable<OutlinedCall> {
    return this.#calls.values();
  }
}

function keyOf(runId: string, id: string): string {
  return `${runId} ${id}`;
}

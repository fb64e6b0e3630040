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
  /** The same calls by id and by run, oldest first. */
  readonly #byId = new Map<string, Set<OutlinedCall>>();
  readonly #byRun = new Map<string, Set<OutlinedCall>>();

  /** Adds a call as the newest; it replaces one of the same run and id. */
  add(call: OutlinedCall): void {
    const { runId, id } = call;
    const replaced = this.own(id, runId);
    if (replaced !== undefined) this.delete(replaced);
    this.#calls.set(toKey(runId, id), call);
    addTo(this.#byId, id, call);
    addTo(this.#byRun, runId, call);
  }

  delete({ runId, id }: OutlinedCall): void {
    const call = this.own(id, runId);
    if (call === undefined) return;
    this.#calls.delete(toKey(runId, id));
    deleteFrom(this.#byId, id, call);
    deleteFrom(this.#byRun, runId, call);
  }

  /** The call of an id in a run. */
  own(id: string, runId: string): OutlinedCall | undefined {
    return this.#calls.get(toKey(runId, id));
  }

  /** The call of an id: that of the run when it has one, else the newest. */
  find(id: string, runId?: string): OutlinedCall | undefined {
    const own = runId === undefined ? undefined : this.own(id, runId);
    if (own !== undefined) return own;
    let found: OutlinedCall | undefined;
    for (const call of this.#byId.get(id) ?? []) found = call;
    return found;
  }

  /** The calls of a run, oldest first; calls may be deleted meanwhile. */
  ofRun(runId: string): Iterable<OutlinedCall> {
    return this.#byRun.get(runId) ?? [];
  }

  /** All calls, oldest first; calls may be deleted meanwhile. */
  all(): Iterable<OutlinedCall> {
    return this.#calls.values();
  }
}

function addTo(index: Map<string, Set<OutlinedCall>>, key: string, call: OutlinedCall): void {
  const calls = index.get(key);
  if (calls === undefined) index.set(key, new Set([call]));
  else calls.add(call);
}

function deleteFrom(index: Map<string, Set<OutlinedCall>>, key: string, call: OutlinedCall): void {
  const calls = index.get(key);
  if (calls?.delete(call) === true && calls.size === 0) index.delete(key);
}

function toKey(runId: string, id: string): string {
  return `${runId} ${id}`;
}

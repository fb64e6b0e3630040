import { openRunsOf } from '../control/open-runs.ts';
import { SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import { type PendingRelay, pendingRelays, type PendingRelaysState } from '../projections/index.ts';
import type { Scope } from './security/access.ts';
import { allThreads } from './threads.ts';

/** A relay that waits, with its thread. */
export interface WaitingRelay extends PendingRelay {
  readonly threadId: string;
}

const pageSize = 500;
const remembered = 1000;

/**
 * What waits for people in all threads. Only threads whose metadata notes an open run are read, and of those only
 * what is new since the last look.
 */
export class PendingInbox {
  readonly #log: EventLog;
  readonly #states = new Map<string, PendingRelaysState>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Oldest first. */
  async all({ resourceId }: Scope): Promise<WaitingRelay[]> {
    const waiting: WaitingRelay[] = [];
    for await (const thread of allThreads(this.#log, { resourceId }))
      if (openRunsOf(thread).length > 0)
        for (const relay of await this.pendingIn(thread)) waiting.push({ ...relay, threadId: thread.id });
    return waiting.toSorted((a, b) => ((a.since ?? '') < (b.since ?? '') ? -1 : 1));
  }

  /** What waits in one thread, oldest first. What was asked in events it shares or imported does not wait here. */
  async pendingIn({ id, createdAt, importedSeq = 0, branchedFrom }: Thread): Promise<readonly PendingRelay[]> {
    // The id of a thread that is gone may be used again.
    const key = `${createdAt} ${id}`;
    let state = this.#states.get(key) ?? pendingRelays.initial;
    this.#states.delete(key);
    try {
      for (;;) {
        const after = Math.max(state.seq, importedSeq, branchedFrom?.seq ?? 0);
        const page = await this.#log.read(id, { after, limit: pageSize });
        for (const event of page) state = pendingRelays.step(state, event);
        if (page.length < pageSize) break;
      }
    } catch (error) {
      if (SingletreeError.is(error, 'thread_not_found')) return [];
      throw error;
    }
    this.#states.set(key, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > remembered && oldest !== undefined) this.#states.delete(oldest);
    return state.pending;
  }
}

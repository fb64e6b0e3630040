import { noUsage, type UsageCounts } from '../usage-sum.ts';
import type { AgentEvent } from '../vocabulary.ts';

/**
 * What the events up to a seq leave for the ones after them, as plain data: a reading that begins with it places every
 * later event as a reading of the whole thread does. Its size depends on what is open at that seq, not on the thread.
 */
export interface OutlineSnapshot {
  readonly seq: number;
  /** The total usage up to the snapshot. */
  readonly usage: UsageCounts;
  /** The events that still matter, shortened, in order: the last turn, and what is open. */
  readonly events: readonly AgentEvent[];
  /** The open runs that reported the start of a call. */
  readonly reporting: readonly string[];
  /** The newest ids of runs, calls and relays that ended; later events about them belong before the snapshot. */
  readonly gone: readonly string[];
  /**
   * Whether another branch was begun or selected while a run was open: it is not known whether the run is on it. A run
   * counts as on the active branch when it starts, also one that answers a message of another branch.
   */
  readonly isUncertain?: boolean;
}

/** The run of the message that stands for a last message that is unknown, as after the selection of another branch. */
export const unknownRun = 'before';

/** The outline at a seq when nothing before it is known. */
export function unknownOutline(seq: number): OutlineSnapshot {
  const events: AgentEvent[] = [{ type: 'user', runId: unknownRun, content: '' }];
  return { seq, usage: noUsage, events, reporting: [], gone: [] };
}

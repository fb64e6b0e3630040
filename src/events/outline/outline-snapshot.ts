import { noUsage, type UsageCounts } from '../usage-sum.ts';
import type { AgentEvent } from '../vocabulary.ts';

/**
 * The state of an outline at a seq, as plain data: a reader that starts from it places every later event like a reader
 * of the whole thread. Its size depends on the open items at that seq, not on the length of the thread.
 */
export interface OutlineSnapshot {
  readonly seq: number;
  /** The total usage up to the snapshot. */
  readonly usage: UsageCounts;
  /** The shortened events of the last turn and of all open items, in order. */
  readonly events: readonly AgentEvent[];
  /** The open runs that reported the start of a call. */
  readonly reporting: readonly string[];
  /** The newest ids of runs, calls and relays that ended; later events about them belong before the snapshot. */
  readonly gone: readonly string[];
  /**
   * Whether another branch was created or selected while a run was open, so it is unknown whether the run is on it. A
   * starting run counts as on the active branch, even when it answers a message of another branch.
   */
  readonly isUncertain?: boolean;
}

/** The run of the message that stands for a last message that is unknown, as after the selection of another branch. */
export const unknownRun = 'before';

/** Returns the outline at a seq when the earlier events are unknown. */
export function unknownOutline(seq: number): OutlineSnapshot {
  const events: AgentEvent[] = [{ type: 'user', runId: unknownRun, content: '' }];
  return { seq, usage: noUsage, events, reporting: [], gone: [] };
}

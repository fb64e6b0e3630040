import type { RunOutcome } from '../../control/supervision/run-counts.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { toToolOutput } from '../../events/tools.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { Activity } from '../../projections/activity/activity.ts';

/** The totals of a run: tokens including subagents, cost when it is known, changed files, calls that did not run. */
export class RunTotals {
  usage: UsageCounts = noUsage;
  error: string | undefined;
  errorCode: string | undefined;
  readonly #files = new Set<string>();
  /** The calls that wait for a person, by the relay. */
  readonly #asked = new Map<string, string>();
  readonly #rejectedCalls = new Set<string>();
  readonly #rejectedTools = new Set<string>();
  readonly #deniedTools = new Set<string>();
  readonly #denials = new Set<string>();

  add(event: AgentEvent): void {
    if (event.type === 'error' && event.fatal === true) [this.error, this.errorCode] = [event.message, event.code];
    if (event.type === 'relay' && event.toolCallId !== undefined) this.#asked.set(event.id, event.toolCallId);
    if (event.type === 'relay_resolved') this.#resolved(event);
    if (event.type === 'tool_result' && 'status' in toToolOutput(event.output))
      (this.#rejectedCalls.has(event.id) ? this.#rejectedTools : this.#deniedTools).add(event.name);
    if (event.type === 'warning' && event.code === 'permission_denied') this.#denials.add(event.message);
    if (event.type === 'usage') this.usage = addUsage(this.usage, event);
  }

  addActivity(activity: Activity): void {
    if (activity.type === 'write' && activity.isSuccess !== false) this.#files.add(activity.path);
  }

  #resolved({ relayId, outcome }: EventOf<'relay_resolved'>): void {
    const call = this.#asked.get(relayId);
    if (call !== undefined && outcome === 'reject') this.#rejectedCalls.add(call);
    this.#asked.delete(relayId);
  }

  /** The tools of which a person rejected a call. */
  get rejected(): string[] {
    return [...this.#rejectedTools];
  }

  /** The tools that rules or the program denied, or its own words when it names none. */
  get denied(): string[] {
    const isNamed = this.#deniedTools.size > 0 || this.#rejectedTools.size > 0;
    return [...(isNamed ? this.#deniedTools : this.#denials)];
  }

  get filesChanged(): string[] {
    return [...this.#files];
  }
}

/** Returns the exit code of a command that waits for a run: 0 when it completed, 124 after a timeout, 130 when it was stopped or not waited for, else 1. */
export function exitCodeFor(outcome: RunOutcome | 'unread' | 'stopped'): number {
  if (outcome === 'complete') return 0;
  if (outcome === 'timeout') return 124;
  return ['aborted', 'interrupted', 'unread', 'stopped'].includes(outcome) ? 130 : 1;
}

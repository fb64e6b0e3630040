import type { AgentEvent } from '../events/index.ts';
import { addUsage, noUsage, type UsageCounts } from '../events/usage-sum.ts';
import type { Activity } from '../projections/activity/index.ts';

/** The totals of a run: tokens including subagents, cost when it is known, changed files, denied calls. */
export class RunTotals {
  usage: UsageCounts = noUsage;
  error: string | undefined;
  readonly #files = new Set<string>();
  readonly #deniedTools = new Set<string>();
  readonly #denials = new Set<string>();

  add(event: AgentEvent): void {
    if (event.type === 'error' && event.fatal === true) this.error = event.message;
    if (event.type === 'tool_result' && 'status' in event.output) this.#deniedTools.add(event.name);
    if (event.type === 'warning' && event.code === 'permission_denied') this.#denials.add(event.message);
    if (event.type === 'usage') this.usage = addUsage(this.usage, event);
  }

  addActivity(activity: Activity): void {
    if (activity.type === 'write' && activity.isSuccess !== false) this.#files.add(activity.path);
  }

  /** The tools that the program denied, or its own words when it names none. */
  get denied(): string[] {
    return [...(this.#deniedTools.size > 0 ? this.#deniedTools : this.#denials)];
  }

  get filesChanged(): string[] {
    return [...this.#files];
  }
}

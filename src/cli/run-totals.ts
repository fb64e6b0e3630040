import type { AgentEvent } from '../events/index.ts';
import { addUsage, noUsage, type UsageCounts } from '../events/usage-sum.ts';
import type { Activity } from '../projections/activity/index.ts';

/** The totals of a run: tokens including subagents, cost when it is known, changed files. */
export class RunTotals {
  usage: UsageCounts = noUsage;
  error: string | undefined;
  readonly #files = new Set<string>();

  add(event: AgentEvent): void {
    if (event.type === 'error' && event.fatal === true) this.error = event.message;
    if (event.type === 'usage') this.usage = addUsage(this.usage, event);
  }

  addActivity(activity: Activity): void {
    if (activity.type === 'write' && activity.isSuccess !== false) this.#files.add(activity.path);
  }

  get filesChanged(): string[] {
    return [...this.#files];
  }
}

import type { AgentEvent } from '../../events/vocabulary.ts';
import { sumCounts } from '../../events/usage-sum.ts';
import type { RunState } from '../../projections/run-state.ts';

/** The common budget of the subagents of a run and of theirs; absent fields have no limit. */
export interface Budget {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** In US dollars, as far as costs are reported. */
  readonly cost?: number;
  /** The number of subagents that may be started. */
  readonly runs?: number;
}

const budgetNames = ['runs', 'inputTokens', 'outputTokens', 'cost'] as const;

/** The position of a run among its ancestors, and the usage of the runs below it. */
export class Lineage {
  /** 0 for a run that a user started, 1 for its subagents. */
  readonly depth: number;
  #used: Budget = {};

  constructor(depth = 0) {
    this.depth = depth;
  }

  /** Counts the earlier usage below a resumed run. */
  countBefore({ children }: RunState): void {
    for (const child of [...children.values()].flat()) {
      this.#add({ runs: 1, ...child.usage });
      this.countBefore(child);
    }
  }

  /** Counts a run that this one starts; throws when the budget is used up. */
  countRun(budget: Budget = {}): void {
    const spent = this.exhausted(budget);
    if (spent !== undefined)
      throw new Error(`The budget for subagents is used up (${spent}: ${budget[spent]}). Do the task yourself.`);
    this.#add({ runs: 1 });
  }

  /** Counts an event of a run below this one. */
  count(event: AgentEvent, childId: string): void {
    if (event.type === 'harness_start' && event.runId !== childId) this.countRun();
    else if (event.type === 'usage') this.#add(event);
  }

  /** Returns the exhausted part of a budget; undefined when everything has a remainder. */
  exhausted(budget: Budget): keyof Budget | undefined {
    return budgetNames.find(name => (this.#used[name] ?? 0) >= (budget[name] ?? Number.POSITIVE_INFINITY));
  }

  #add(more: { readonly [Name in keyof Budget]: Budget[Name] | undefined }): void {
    this.#used = sumCounts(budgetNames, this.#used, more);
  }
}

import type { AgentEvent } from '../../events/index.ts';
import type { RunState } from '../../projections/run-state.ts';

/** How much the subagents of a run, and theirs, may use together; what is absent has no limit. */
export interface Budget {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** In US dollars, as far as costs are told. */
  readonly cost?: number;
  /** How many subagents may be started. */
  readonly runs?: number;
}

/** Where a run stands among the runs that started each other, and what those below it have used. */
export class Lineage {
  /** 0 for a run that a person started, 1 for its subagents. */
  readonly depth: number;
  readonly #used = { inputTokens: 0, outputTokens: 0, cost: 0, runs: 0 };

  constructor(depth = 0) {
    this.depth = depth;
  }

  /** Counts what a run that is gone on with has used below it before. */
  countBefore({ children }: RunState): void {
    for (const child of [...children.values()].flat()) {
      this.#add({ runs: 1, ...child.usage });
      this.countBefore(child);
    }
  }

  /** Counts a run that this one starts; throws when nothing of the budget is left. */
  countRun(budget: Budget = {}): void {
    const spent = this.exhausted(budget);
    if (spent !== undefined)
      throw new Error(`The budget for subagents is used up (${spent}: ${budget[spent]}). Do the task yourself.`);
    this.#add({ runs: 1 });
  }

  /** Counts an event of a run that this one started, or of one further below. */
  count(event: AgentEvent, childId: string): void {
    if (event.type === 'harness_start' && event.runId !== childId) this.countRun();
    else if (event.type === 'usage') this.#add({ ...event, cost: event.cost ?? 0 });
  }

  /** What of a budget is used up; undefined when there is some of everything left. */
  exhausted(budget: Budget): keyof Budget | undefined {
    const names = ['runs', 'inputTokens', 'outputTokens', 'cost'] as const;
    return names.find(name => this.#used[name] >= (budget[name] ?? Number.POSITIVE_INFINITY));
  }

  #add(more: { runs?: number; inputTokens?: number; outputTokens?: number; cost?: number }): void {
    this.#used.runs += more.runs ?? 0;
    this.#used.inputTokens += more.inputTokens ?? 0;
    this.#used.outputTokens += more.outputTokens ?? 0;
    this.#used.cost += more.cost ?? 0;
  }
}

import type { AgentEvent } from '../../events/index.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { Limit, Limits } from './limits.ts';

/** An amount that was spent. */
export interface Spent {
  readonly tokens: number;
  /** In US dollars. */
  readonly cost: number;
}

/** What was spent beyond the run, as the log has it: provided by the supervisor. */
export interface SpentTotals {
  /** In the thread of the run, the run included. */
  thread(): Promise<Spent>;
  /** In all threads since the day began. */
  day(): Promise<Spent>;
}

export interface SpendingOptions {
  readonly limits?: Limits | undefined;
  /** The spending of the run or the supervisor that started this one: its limits apply, too. */
  readonly above?: Spending | undefined;
  /** Default: those of `above`; without them a run is all of its thread and its day. */
  readonly totals?: SpentTotals | undefined;
  /** The run before it was resumed. */
  readonly resumed?: RunState | undefined;
}

const scopes = ['run', 'thread', 'day'] as const;
const measures = ['tokens', 'cost'] as const;

/** Counts what a run and the runs below it spend, and reports when a limit is reached. */
export class Spending {
  readonly #limits: Limits;
  readonly #above: Spending | undefined;
  readonly #totals: SpentTotals | undefined;
  #spent: Spent;

  constructor({ limits = {}, above, totals, resumed }: SpendingOptions) {
    this.#limits = limits;
    this.#above = above;
    this.#totals = totals ?? above?.totals;
    this.#spent = resumed === undefined ? { tokens: 0, cost: 0 } : spentIn(resumed);
  }

  get totals(): SpentTotals | undefined {
    return this.#totals;
  }

  /** Whether any limit applies. */
  get isLimited(): boolean {
    return scopes.some(scope => this.#limits[scope] !== undefined) || this.#above?.isLimited === true;
  }

  /** Counts an event of the run or of a run below it. */
  count(event: AgentEvent): void {
    if (event.type === 'usage') this.#spent = addUsage(this.#spent, event);
  }

  /** Describes the limit that is reached; undefined when a model may be called. */
  async reached(): Promise<string | undefined> {
    for (const scope of scopes) {
      const limit = this.#limits[scope];
      const message = limit && describe(scope, limit, await this.#spentIn(scope));
      if (message !== undefined) return message;
    }
    return this.#above?.reached();
  }

  async #spentIn(scope: keyof Limits): Promise<Spent> {
    return scope === 'run' || this.#totals === undefined ? this.#spent : this.#totals[scope]();
  }
}

/** Adds a usage report to an amount. */
export function addUsage(
  { tokens, cost }: Spent,
  usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number | undefined },
): Spent {
  return { tokens: tokens + usage.inputTokens + usage.outputTokens, cost: cost + (usage.cost ?? 0) };
}

function spentIn({ usage, children }: RunState): Spent {
  let spent = addUsage({ tokens: 0, cost: 0 }, usage);
  for (const child of [...children.values()].flat()) {
    const below = spentIn(child);
    spent = { tokens: spent.tokens + below.tokens, cost: spent.cost + below.cost };
  }
  return spent;
}

const amounts = {
  tokens: (amount: number) => `${amount} tokens`,
  cost: (amount: number) => `$${Number(amount.toFixed(6))}`,
} as const;

function describe(scope: keyof Limits, limit: Limit, spent: Spent): string | undefined {
  const measure = measures.find(name => spent[name] >= (limit[name] ?? Number.POSITIVE_INFINITY));
  if (measure === undefined) return undefined;
  const [most, used] = [amounts[measure](limit[measure] ?? 0), amounts[measure](spent[measure])];
  return `The limit of ${most} per ${scope} is reached: ${used} were spent. Raise \`limits.${scope}.${measure}\` to continue.`;
}

import type { Allowances, Spending, SpentTotals, LimitAsker } from '../contract/spending.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import { addUsage, noUsage } from '../../events/usage-sum.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { Answers, RelayAnswer } from '../contract/host.ts';
import { type Allowance, allowanceRelay, AllowanceBook } from './allowances.ts';
import type { Limits } from './limits.ts';

export interface SpendingOptions {
  /** The run whose spending it is. */
  readonly runId: string;
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
/** Sums of costs are not exact: three times $0.1 is three steps. */
const rounding = 1e-9;

/** Counts the spending of a run and its subagents, and reports when a limit is reached. */
export class SpendingCounter implements Spending {
  readonly #runId: string;
  readonly #limits: Limits;
  readonly #above: Spending | undefined;
  readonly #totals: SpentTotals | undefined;
  /** The approvals of this run, used when the supervisor provides no totals. */
  readonly #allowances = new AllowanceBook();
  /** The limits for which a user rejected more spending. */
  readonly #rejected = new Set<string>();
  #spent = noUsage;

  constructor({ runId, limits = {}, above, totals, resumed }: SpendingOptions) {
    this.#runId = runId;
    this.#limits = limits;
    this.#above = above;
    this.#totals = totals ?? above?.totals;
    if (resumed !== undefined) this.#countBefore(resumed);
  }

  get totals(): SpentTotals | undefined {
    return this.#totals;
  }

  /** Counts an event of the run or of a run below it. */
  count(event: AgentEvent): void {
    if (event.type === 'usage') this.#spent = addUsage(this.#spent, event);
  }

  /**
   * Returns a description of the reached limit; undefined when a model may be called. With an asker, a limit that asks
   * waits for the answer of a user or the abort of the asker.
   */
  async reached(asker?: LimitAsker): Promise<string | undefined> {
    for (const scope of scopes)
      for (const measure of measures) {
        const limit = this.#limits[scope]?.[measure];
        const message = limit === undefined ? undefined : await this.#check({ scope, measure, limit }, asker);
        if (message !== undefined) return message;
      }
    return this.#above?.reached(asker);
  }

  async #check(
    { scope, measure, limit }: Pick<Allowance, 'scope' | 'measure' | 'limit'>,
    asker: LimitAsker | undefined,
  ): Promise<string | undefined> {
    for (;;) {
      const usage = scope === 'run' || this.#totals === undefined ? this.#spent : await this.#totals[scope]();
      const spent = measure === 'cost' ? (usage.cost ?? 0) : usage.inputTokens + usage.outputTokens;
      if (spent < limit) return undefined;
      const [most, used] = [amounts[measure](limit), amounts[measure](spent)];
      const message = `The limit of ${most} per ${scope} is reached: ${used} were spent.`;
      const end = `${message} Raise \`limits.${scope}.${measure}\` to continue.`;
      if (this.#limits[scope]?.then !== 'ask') return end;
      const upTo = limit * (Math.floor(spent / limit + rounding) + 1);
      const allowance = { scope, measure, of: this.#subject(scope), limit, spent, upTo };
      // Read the totals again: another process may have stored an answer in the log.
      if (scope === 'run') await this.#totals?.thread();
      const allowances = this.#totals?.allowances ?? this.#allowances;
      if (spent < allowances.upTo(allowance)) return undefined;
      if (asker?.answers === undefined || this.#rejected.has(`${scope} ${measure}`)) return end;
      const question = `${message} Approve to continue up to ${amounts[measure](upTo)}, or reject to end the run.`;
      const { outcome } = await this.#ask(allowances, allowance, question, { ...asker, answers: asker.answers });
      if (asker.signal.aborted) return undefined;
      // When the run that asked has ended, its relay is cancelled and this run asks again.
      if (outcome !== 'approve' && outcome !== 'cancelled') this.#rejected.add(`${scope} ${measure}`);
    }
  }

  /** Waits for the answer to a relay; one that waits already serves all runs. */
  async #ask(
    allowances: Allowances,
    allowance: Allowance,
    question: string,
    { runId, answers, signal, put }: LimitAsker & { readonly answers: Answers },
  ): Promise<RelayAnswer> {
    const threadId = this.#totals?.threadId;
    const waiting = allowances.findPending(allowance, threadId);
    const id = waiting ?? newId();
    if (waiting === undefined) {
      const relay = allowanceRelay({ id, runId }, allowance, question);
      allowances.take(relay, threadId);
      await put(relay);
    }
    const answer = await answers.wait(id, signal).catch((error: unknown): RelayAnswer => {
      if (!signal.aborted) throw error;
      return { relayId: waiting === undefined ? id : '', outcome: 'cancelled' };
    });
    allowances.take({ ...answer, type: 'relay_resolved', runId }, threadId);
    return answer;
  }

  #subject(scope: Allowance['scope']): string {
    if (scope === 'run' || this.#totals === undefined) return this.#runId;
    return scope === 'thread' ? this.#totals.threadId : this.#totals.today();
  }

  #countBefore({ events, children }: RunState): void {
    for (const event of events) {
      this.count(event);
      this.#allowances.take(event);
    }
    for (const child of [...children.values()].flat()) this.#countBefore(child);
  }
}

const amounts = {
  tokens: (amount: number) => `${amount} tokens`,
  cost: (amount: number) => `$${Number(amount.toFixed(6))}`,
} as const;

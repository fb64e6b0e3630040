import type { EventOf } from '../../../../events/vocabulary.ts';
import { toCount, toRecord, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

export type Usage = Omit<EventOf<'usage'>, 'type' | 'runId'>;
type Counts = Record<'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens', number>;

const none: Counts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/**
 * Counts each token once. A `result` reports the usage of the main agent since the previous result; its `modelUsage`
 * and its cost are totals of all agents, of the process or of the whole session, and may be ahead of it: growth beyond
 * that of the main agent belongs to the subagents. Newer versions report that growth themselves.
 */
export class ClaudeUsage {
  #main = none;
  #all = none;
  /** The usage of subagents that was returned. */
  #subagents = none;
  #models: readonly string[] = [];
  #cost = 0;

  /**
   * Returns the usage that a result adds to the main agent, with the cost of all agents; undefined if it adds none.
   */
  take(result: WireRecord): Usage | undefined {
    const main = readMessageUsage(result['usage']);
    this.#main = add(this.#main, main?.counts ?? none);
    const models = toRecord(result['modelUsage']);
    const added = toRecord(result['model_usage_since_last_result']);
    const cost = this.#getCost(result, added);
    if (added !== undefined) this.#all = add(this.#all, allModels(added));
    else if (models !== undefined) this.#all = allModels(models);
    if (models !== undefined) this.#models = Object.keys(models);
    return main === undefined || isZero(main.counts) ? undefined : { ...main.usage, ...defined({ cost }) };
  }

  /** The cost of all agents since the previous result; undefined when it was not reported. */
  #getCost(result: WireRecord, added: WireRecord | undefined): number | undefined {
    const total = toCount(result['total_cost_usd']);
    const before = this.#cost;
    this.#cost = total ?? before;
    if (added === undefined) return total === undefined ? undefined : rounded(Math.max(0, total - before));
    const costs = Object.values(added).map(entry => toCount(toRecord(entry)?.['costUSD']) ?? 0);
    return rounded(costs.reduce((sum, cost) => sum + cost, 0));
  }

  /**
   * Returns the usage of the subagents since the last call; undefined if they used no tokens. Names the model if it is
   * the only one.
   */
  subagents(): Usage | undefined {
    const others = subtract(subtract(this.#all, this.#main), this.#subagents);
    this.#subagents = add(this.#subagents, others);
    const [model] = this.#models.length === 1 ? this.#models : [];
    return isZero(others) ? undefined : { ...others, ...defined({ model }) };
  }
}

/** Returns the usage of a model call, or of several; undefined when it is not reported. */
export function readMessageUsage(value: unknown): { usage: Usage; counts: Counts } | undefined {
  const usage = toRecord(value);
  const uncached = toCount(usage?.['input_tokens']);
  const outputTokens = toCount(usage?.['output_tokens']);
  if (usage === undefined || uncached === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = toCount(usage['cache_read_input_tokens']);
  const cacheWriteTokens = toCount(usage['cache_creation_input_tokens']);
  const inputTokens = uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const reasoningTokens = toCount(toRecord(usage['output_tokens_details'])?.['thinking_tokens']);
  return {
    usage: { inputTokens, outputTokens, ...defined({ cacheReadTokens, cacheWriteTokens, reasoningTokens }) },
    counts: {
      inputTokens,
      outputTokens,
      cacheReadTokens: cacheReadTokens ?? 0,
      cacheWriteTokens: cacheWriteTokens ?? 0,
    },
  };
}

function allModels(models: WireRecord): Counts {
  let all = none;
  for (const entry of Object.values(models)) {
    const model = toRecord(entry);
    const cacheReadTokens = toCount(model?.['cacheReadInputTokens']) ?? 0;
    const cacheWriteTokens = toCount(model?.['cacheCreationInputTokens']) ?? 0;
    const inputTokens = (toCount(model?.['inputTokens']) ?? 0) + cacheReadTokens + cacheWriteTokens;
    all = add(all, {
      inputTokens,
      outputTokens: toCount(model?.['outputTokens']) ?? 0,
      cacheReadTokens,
      cacheWriteTokens,
    });
  }
  return all;
}

function add(a: Counts, b: Counts): Counts {
  return combine(a, b, (x, y) => x + y);
}

function subtract(a: Counts, b: Counts): Counts {
  return combine(a, b, (x, y) => Math.max(0, x - y));
}

function combine(a: Counts, b: Counts, with_: (x: number, y: number) => number): Counts {
  return {
    inputTokens: with_(a.inputTokens, b.inputTokens),
    outputTokens: with_(a.outputTokens, b.outputTokens),
    cacheReadTokens: with_(a.cacheReadTokens, b.cacheReadTokens),
    cacheWriteTokens: with_(a.cacheWriteTokens, b.cacheWriteTokens),
  };
}

function isZero(counts: Counts): boolean {
  return counts.inputTokens === 0 && counts.outputTokens === 0;
}

/** Subtracts dollar amounts without the noise of binary fractions. */
function rounded(dollars: number): number {
  const exact = Math.round(dollars * 1e9) / 1e9;
  return Number.isFinite(exact) ? exact : dollars;
}

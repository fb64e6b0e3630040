import { defined } from '../../base/defined.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { OpenCall, OpenRun } from './open.ts';

/** Tokens that were used. A cache count that was never reported is zero. */
export interface RequestTokenUsage {
  /** Sent tokens, cached ones included. */
  readonly promptTokens: number;
  /** Received tokens, reasoning included. */
  readonly completionTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  /** `promptTokens + completionTokens`. */
  readonly totalTokens: number;
}

/** The usage of one model by one agent; `cost` is in US dollars and absent when unknown. */
export interface AgentCost {
  readonly agentName: string;
  readonly model?: string;
  readonly usage: RequestTokenUsage;
  readonly cost?: number;
}

/** How long the calls of one tool took that ran, from start to result. */
export interface ToolTiming {
  readonly toolName: string;
  readonly calls: number;
  readonly totalMs: number;
  readonly maxMs: number;
}

/** The latency of a request in milliseconds; parallel work adds up. */
export interface Latency {
  /** From the start of the root run to the last event. */
  readonly totalMs: number;
  /** To the first sign of the root run's model, and to its first text. */
  readonly firstEventMs?: number;
  readonly firstTextMs?: number;
  /** The time of model calls. */
  readonly modelMs: number;
  /** The time in which tools ran, without tools that ran subagents. */
  readonly toolMs: number;
  readonly subagentMs: number;
  /** The time in which relays were pending. */
  readonly approvalMs: number;
  readonly tools: readonly ToolTiming[];
  /** How many attempts at a step were replaced by another one. */
  readonly retries: number;
}

/** The usage, cost and latency of a request, including its subagents. */
export interface RequestTotals {
  readonly usage: RequestTokenUsage;
  readonly costs: readonly AgentCost[];
  readonly latency: Latency;
}

/** Returns usage in the names of a request. */
export function requestUsage(usage: UsageCounts): RequestTokenUsage {
  const { inputTokens: promptTokens, outputTokens: completionTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    promptTokens,
    completionTokens,
    cacheReadInputTokens: cacheReadTokens ?? 0,
    cacheCreationInputTokens: cacheWriteTokens ?? 0,
    totalTokens: promptTokens + completionTokens,
  };
}

/** The cost of a report in US dollars; anything but a finite number means that it is not known. */
export type PriceOf = (usage: EventOf<'usage'>) => number | undefined;

/** The sums of a request: they grow with its agents, models and tools, not with its events. */
export class TotalsSum {
  readonly #priceOf: PriceOf;
  readonly #costs = new Map<string, Omit<AgentCost, 'usage'> & { readonly usage: UsageCounts }>();
  readonly #tools = new Map<string, ToolTiming>();
  #usage: UsageCounts = noUsage;
  #startedAt: number | undefined;
  #lastAt: number | undefined;
  #firstEventMs: number | undefined;
  #firstTextMs: number | undefined;
  #modelMs = 0;
  #toolMs = 0;
  #subagentMs = 0;
  #approvalMs = 0;
  #retries = 0;

  constructor(priceOf: PriceOf = ({ cost }) => cost) {
    this.#priceOf = priceOf;
  }

  /** Notes that something happened at a time. */
  pass(at: number | undefined): void {
    this.#startedAt ??= at;
    this.#lastAt = at ?? this.#lastAt;
  }

  use(event: EventOf<'usage'>, { agentName, model: runModel }: OpenRun): void {
    this.#usage = addUsage(this.#usage, event);
    const model = event.model ?? runModel;
    const key = JSON.stringify([agentName, model]);
    const known = this.#costs.get(key) ?? { agentName, ...defined({ model }), usage: noUsage };
    const cost = this.#priceOf(event);
    this.#costs.set(key, {
      ...known,
      usage: addUsage(known.usage, event),
      ...(Number.isFinite(cost) && { cost: (known.cost ?? 0) + (cost as number) }),
    });
  }

  retry(): void {
    this.#retries++;
  }

  /** Records that a model call of a run started. */
  ask(run: OpenRun, at: number | undefined): void {
    this.rest(run);
    run.askedAt = at;
  }

  /** Records that the model of a run produced an event. */
  hear(run: OpenRun, at: number | undefined, speaks: boolean): void {
    if (at === undefined) return;
    run.heardAt = at;
    if (run.parent !== undefined || this.#startedAt === undefined) return;
    const passed = span(this.#startedAt, at);
    this.#firstEventMs ??= passed;
    if (speaks) this.#firstTextMs ??= passed;
  }

  /** Ends the model call of a run and adds the time until the model's latest event to the total. */
  rest(run: OpenRun): void {
    if (run.askedAt !== undefined && run.heardAt !== undefined) this.#modelMs += span(run.askedAt, run.heardAt);
    run.askedAt = undefined;
    run.heardAt = undefined;
  }

  /** Records the result of a call that ran. */
  endCall({ toolName, since, waitedMs, started, spawned }: OpenCall, at: number | undefined): void {
    const took = since === undefined || at === undefined ? 0 : span(since + (started ? 0 : waitedMs), at);
    const { calls, totalMs, maxMs } = this.#tools.get(toolName) ?? { calls: 0, totalMs: 0, maxMs: 0 };
    this.#tools.set(toolName, {
      toolName,
      calls: calls + 1,
      totalMs: totalMs + took,
      maxMs: Math.max(maxMs, took),
    });
    if (!spawned) this.#toolMs += took;
  }

  /** A person decided; returns how long they took. */
  endRelay(askedAt: number | undefined, at: number | undefined): number {
    const ms = askedAt === undefined || at === undefined ? 0 : span(askedAt, at);
    this.#approvalMs += ms;
    return ms;
  }

  endAgent({ startedAt }: OpenRun, at: number | undefined): void {
    if (startedAt !== undefined && at !== undefined) this.#subagentMs += span(startedAt, at);
  }

  totals(): RequestTotals {
    const { firstEventMs, firstTextMs } = { firstEventMs: this.#firstEventMs, firstTextMs: this.#firstTextMs };
    return {
      usage: requestUsage(this.#usage),
      costs: [...this.#costs.values()].map(each => ({ ...each, usage: requestUsage(each.usage) })),
      latency: {
        totalMs: span(this.#startedAt ?? 0, this.#lastAt ?? 0),
        ...defined({ firstEventMs, firstTextMs }),
        modelMs: this.#modelMs,
        toolMs: this.#toolMs,
        subagentMs: this.#subagentMs,
        approvalMs: this.#approvalMs,
        tools: [...this.#tools.values()],
        retries: this.#retries,
      },
    };
  }
}

/** Returns the time between two moments, at least 0 because clocks may go back. */
function span(from: number, to: number): number {
  return Math.max(0, to - from);
}

/** A currency and what one US dollar is in it. */
export interface Currency {
  readonly code: string;
  readonly perDollar: number;
}

/** The cost of a request; `total` and `cost` are absent when no cost is known. */
export interface CostSummary {
  readonly currency: string;
  readonly total?: number;
  readonly agents: readonly AgentCost[];
}

const dollars: Currency = { code: 'USD', perDollar: 1 };

/** The cost of a request in all and for each agent and model. */
export function costSummary({ costs }: RequestTotals, { code, perDollar }: Currency = dollars): CostSummary {
  const agents = costs.map(({ cost, ...rest }) => ({ ...rest, ...(cost !== undefined && { cost: cost * perDollar }) }));
  const known = agents.flatMap(({ cost }) => cost ?? []);
  const total = known.reduce((sum, cost) => sum + cost, 0);
  return { currency: code, ...(known.length > 0 && { total }), agents };
}

import type { AgentCost, RequestTotals } from './totals.ts';

/** A currency and what one US dollar is in it. */
export interface Currency {
  readonly code: string;
  readonly perDollar: number;
}

/** What a request cost; `total` and `cost` are absent when no cost is known. */
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

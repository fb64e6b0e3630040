import { advance, emptySnapshot } from '../graph/versioned/advance.ts';
import { addUsage, noUsage } from '../events/usage-sum.ts';
import type { Fold } from './fold.ts';
import { takeTimes } from './totals-clock.ts';
import {
  addTotals,
  noTotals,
  type ToolTotals,
  type Totals,
  type TotalsState,
  type TotalsTables,
} from './totals-tables.ts';

/** What a thread cost: in all, and for each run, agent, model and tool, each in the order of appearance. */
export interface TotalsView {
  readonly all: Totals;
  readonly runs: readonly (Totals & { readonly runId: string })[];
  /** The id is empty for runs without the name of an agent. */
  readonly agents: readonly (Totals & { readonly agentId: string })[];
  /** The id is empty for usage without the name of a model. */
  readonly models: readonly (Totals & { readonly modelId: string })[];
  readonly tools: readonly (ToolTotals & { readonly tool: string })[];
}

/** Tokens, cost and time of a thread, as a fold. Subagents count as runs of their own. */
export const totals: Fold<TotalsState, TotalsView> = {
  get initial() {
    return emptySnapshot<TotalsTables>();
  },
  step: (state, event) =>
    advance(state, event, draft => {
      takeTimes(draft, event);
      if (event.type !== 'usage') return;
      addTotals(draft, event.runId, { modelCalls: 1, ...addUsage(noUsage, event) }, event.model);
    }),
  view: state => ({
    all: state.last('all', '') ?? noTotals,
    runs: list(state, 'run', runId => ({ runId })),
    agents: list(state, 'agent', agentId => ({ agentId })),
    models: list(state, 'model', modelId => ({ modelId })),
    tools: state.all('order', 'tool').flatMap(tool => {
      const used = state.last('tool', tool);
      return used === undefined ? [] : [{ tool, ...used }];
    }),
  }),
};

function list<Id>(state: TotalsState, of: 'run' | 'agent' | 'model', name: (id: string) => Id): (Totals & Id)[] {
  return state.all('order', of).map(id => ({ ...name(id), ...(state.last(of, id) ?? noTotals) }));
}

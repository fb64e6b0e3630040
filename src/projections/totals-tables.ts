import { noUsage, sumCounts, type UsageCounts } from '../events/usage-sum.ts';
import type { Draft, Snapshot } from '../graph/versioned/store.ts';

/** What was used and how long it took; `cost` is that of the calls that reported it. */
export interface Totals extends UsageCounts {
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Milliseconds in which a model was asked and wrote. */
  readonly modelMs: number;
  /** Milliseconds in which tools ran; side by side they add up. */
  readonly toolMs: number;
  /** Milliseconds in which a person was asked something. */
  readonly approvalMs: number;
  /** Milliseconds from the start of a run to its first text, the mean over runs; absent when there was none. */
  readonly firstTextMs?: number;
  /** How many runs said something. */
  readonly firstTexts: number;
}

/** How often a tool was called, how often that failed, and how long it ran. */
export interface ToolTotals {
  readonly toolCalls: number;
  /** The calls that failed or were denied. */
  readonly failedCalls: number;
  /** Milliseconds in which it ran; side by side they add up. */
  readonly toolMs: number;
}

export const noTotals: Totals = {
  ...noUsage,
  modelCalls: 0,
  toolCalls: 0,
  modelMs: 0,
  toolMs: 0,
  approvalMs: 0,
  firstTexts: 0,
};

/** What the clock of a run shows, in milliseconds since 1970. */
export interface Clock {
  readonly agentId?: string;
  readonly model?: string;
  readonly startedAt?: number;
  readonly spoke: boolean;
  /** Since when the model is asked, and when it was last heard; absent while it is not. */
  readonly modelSince?: number;
  readonly heardAt?: number;
  readonly openCalls: number;
}

/** When a call was made and started, and how long a person was asked about it. */
export interface CallTimes {
  readonly runId: string;
  readonly tool: string;
  readonly calledAt?: number;
  readonly startedAt?: number;
  readonly waitedMs: number;
  readonly done: boolean;
}

export interface TotalsTables {
  all: Totals;
  run: Totals;
  agent: Totals;
  model: Totals;
  tool: ToolTotals;
  /** `run`, `agent`, `model` and `tool` to the ids there are. */
  order: string;
  clock: Clock;
  call: CallTimes;
  relay: { readonly askedAt: number; readonly runId: string; readonly callId?: string; readonly open: boolean };
}

export type TotalsState = Snapshot<TotalsTables>;
export type TotalsDraft = Draft<TotalsTables>;

type Added = { readonly [Name in keyof Totals]?: Totals[Name] | undefined };

/** Adds to the totals of the thread, of a run, and of its agent and model. */
export function addTotals(draft: TotalsDraft, runId: string, added: Added, model?: string): void {
  const clock = draft.last('clock', runId);
  draft.add('all', '', sum(draft.last('all', ''), added));
  const keys = { run: runId, agent: clock?.agentId ?? '', model: model ?? clock?.model ?? '' };
  for (const of of ['run', 'agent', 'model'] as const) {
    const known = draft.last(of, keys[of]);
    if (known === undefined) draft.add('order', of, keys[of]);
    draft.add(of, keys[of], sum(known, added));
  }
}

/** Adds to the totals of a tool. */
export function addToolTotals(draft: TotalsDraft, tool: string, added: Partial<ToolTotals>): void {
  const known = draft.last('tool', tool);
  if (known === undefined) draft.add('order', 'tool', tool);
  const { toolCalls = 0, failedCalls = 0, toolMs = 0 } = known ?? {};
  draft.add('tool', tool, {
    toolCalls: toolCalls + (added.toolCalls ?? 0),
    failedCalls: failedCalls + (added.failedCalls ?? 0),
    toolMs: toolMs + (added.toolMs ?? 0),
  });
}

function sum(totals: Totals = noTotals, added: Added): Totals {
  const { firstTextMs: mean, ...counts } = totals;
  const { firstTextMs: first, ...more } = added;
  const names = Object.keys({ ...counts, ...more }) as (keyof typeof counts)[];
  const next = sumCounts(names, counts, more) as Totals;
  const firstTextMs = first === undefined ? mean : ((mean ?? 0) * totals.firstTexts + first) / next.firstTexts;
  return firstTextMs === undefined ? next : { ...next, firstTextMs };
}

import { toToolOutput } from '../events/tools.ts';
import { addUsage, noUsage, sumCounts, type UsageCounts } from '../events/usage-sum.ts';
import { type AgentEvent, type EventOf, type Handlers, isKnownEvent } from '../events/vocabulary.ts';
import { advance, emptySnapshot } from '../graph/versioned/advance.ts';
import type { Draft, Snapshot } from '../graph/versioned/store.ts';
import type { Fold } from './fold.ts';

/** Usage and durations; `cost` is the sum over the calls that reported it. */
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
  /** How many runs produced a text. */
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

/** The clock of a run, in milliseconds since 1970. */
export interface Clock {
  readonly agentId?: string;
  readonly model?: string;
  readonly startedAt?: number;
  readonly spoke: boolean;
  /** When the current model call began, and when the model last sent output; absent between calls. */
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

const silent: Clock = { spoke: false, openCalls: 0 };

/** Takes the times of an event: of the model, of tools and of people who are asked. */
export function takeTimes(draft: TotalsDraft, event: AgentEvent): void {
  if (!isKnownEvent(event)) return;
  const now = event.ts === undefined ? undefined : Date.parse(event.ts);
  (on[event.type] as (event: AgentEvent, draft: TotalsDraft, now: number | undefined) => void)(event, draft, now);
}

const on: Handlers<[TotalsDraft, number | undefined], void> = {
  harness_start: ({ runId, agentId, model }, draft, now) =>
    set(draft, runId, {
      ...getClock(draft, runId),
      agentId,
      ...(model !== undefined && { model }),
      ...(now !== undefined && { startedAt: now, modelSince: now }),
    }),
  harness_end: ({ runId }, draft) => stopModel(draft, runId),
  step_start: ({ runId, model }, draft, now) => {
    stopModel(draft, runId);
    const clock = getClock(draft, runId);
    set(draft, runId, {
      ...clock,
      ...(model !== undefined && { model }),
      ...(now !== undefined && { modelSince: now, startedAt: clock.startedAt ?? now }),
    });
  },
  text: hear,
  reasoning: hear,
  tool_input_delta: hear,
  tool_call: (event, draft, now) => {
    hear(event, draft, now);
    startCall(draft, event, now);
  },
  usage: (event, draft, now) => {
    hear(event, draft, now);
    stopModel(draft, event.runId);
  },
  tool_start: ({ id }, draft, now) => {
    const call = draft.last('call', id);
    if (call !== undefined && now !== undefined) draft.add('call', id, { ...call, startedAt: now });
  },
  tool_result: (event, draft, now) => endCall(draft, event, now),
  relay: ({ id, runId, toolCallId }, draft, now) => {
    if (now === undefined) return;
    draft.add('relay', id, {
      askedAt: now,
      runId,
      open: true,
      ...(toolCallId !== undefined && { callId: toolCallId }),
    });
  },
  relay_resolved: ({ relayId }, draft, now) => endRelay(draft, relayId, now),
  session: takesNoTime,
  user: takesNoTime,
  tool_progress: takesNoTime,
  repl_input: takesNoTime,
  repl_progress: takesNoTime,
  repl_output: takesNoTime,
  plan_status: takesNoTime,
  tasks: takesNoTime,
  summary: takesNoTime,
  error: takesNoTime,
  warning: takesNoTime,
  file_registered: takesNoTime,
  unknown: takesNoTime,
  custom: takesNoTime,
  mode_changed: takesNoTime,
  model_changed: takesNoTime,
  folder_changed: takesNoTime,
  grant_revoked: takesNoTime,
  branch_selected: takesNoTime,
  collapsed: takesNoTime,
  abort_requested: takesNoTime,
  steer_requested: takesNoTime,
  model_context: takesNoTime,
  message_queued: takesNoTime,
  message_changed: takesNoTime,
  message_withdrawn: takesNoTime,
  run_requested: takesNoTime,
};

function takesNoTime(): void {}

function getClock(draft: TotalsDraft, runId: string): Clock {
  return draft.last('clock', runId) ?? silent;
}

function set(draft: TotalsDraft, runId: string, clock: Clock): void {
  draft.add('clock', runId, clock);
}

/** Records output of the model, and the time to the first text of a run. */
function hear({ type, runId }: AgentEvent, draft: TotalsDraft, now: number | undefined): void {
  if (now === undefined) return;
  const clock = getClock(draft, runId);
  const speaks = type === 'text' && !clock.spoke;
  if (speaks && clock.startedAt !== undefined)
    addTotals(draft, runId, { firstTextMs: now - clock.startedAt, firstTexts: 1 });
  if (!speaks && clock.modelSince === undefined) return;
  set(draft, runId, { ...clock, spoke: clock.spoke || speaks, heardAt: now });
}

/** Ends a model call and adds the time until the model's last output. */
function stopModel(draft: TotalsDraft, runId: string): void {
  const clock = draft.last('clock', runId);
  if (clock === undefined) return;
  const { modelSince, heardAt, ...rest } = clock;
  if (modelSince !== undefined && heardAt !== undefined && heardAt > modelSince)
    addTotals(draft, runId, { modelMs: heardAt - modelSince });
  set(draft, runId, rest);
}

function startCall(draft: TotalsDraft, { id, runId, name: tool }: EventOf<'tool_call'>, now: number | undefined): void {
  const clock = getClock(draft, runId);
  set(draft, runId, { ...clock, openCalls: clock.openCalls + 1 });
  const times: CallTimes = { runId, tool, waitedMs: 0, done: false, ...(now !== undefined && { calledAt: now }) };
  draft.add('call', id, times);
  addTotals(draft, runId, { toolCalls: 1 });
  addToolTotals(draft, tool, { toolCalls: 1 });
}

/** After the last open call of a run its model is asked again, also when the run reports no steps. */
function endCall(draft: TotalsDraft, { id, output }: EventOf<'tool_result'>, now: number | undefined): void {
  const call = draft.last('call', id);
  if (call === undefined || call.done) return;
  draft.add('call', id, { ...call, done: true });
  const { runId, tool, startedAt, calledAt, waitedMs } = call;
  const since = startedAt ?? (calledAt === undefined ? undefined : calledAt + waitedMs);
  const toolMs = now === undefined || since === undefined ? 0 : Math.max(0, now - since);
  if (toolMs > 0) addTotals(draft, runId, { toolMs });
  addToolTotals(draft, tool, { toolMs, failedCalls: 'context' in toToolOutput(output) ? 0 : 1 });
  const clock = getClock(draft, runId);
  const openCalls = Math.max(0, clock.openCalls - 1);
  if (openCalls > 0 || now === undefined) set(draft, runId, { ...clock, openCalls });
  else {
    stopModel(draft, runId);
    set(draft, runId, { ...getClock(draft, runId), openCalls, modelSince: now });
  }
}

function endRelay(draft: TotalsDraft, id: string, now: number | undefined): void {
  const relay = draft.last('relay', id);
  if (relay === undefined || !relay.open || now === undefined) return;
  const waited = Math.max(0, now - relay.askedAt);
  draft.add('relay', id, { ...relay, open: false });
  addTotals(draft, relay.runId, { approvalMs: waited });
  const call = relay.callId === undefined ? undefined : draft.last('call', relay.callId);
  if (relay.callId !== undefined && call !== undefined)
    draft.add('call', relay.callId, { ...call, waitedMs: call.waitedMs + waited });
}

/** The totals of a thread: overall and per run, agent, model and tool, each in order of appearance. */
export interface TotalsView {
  readonly all: Totals;
  readonly runs: readonly (Totals & { readonly runId: string })[];
  /** The id is empty for runs without the name of an agent. */
  readonly agents: readonly (Totals & { readonly agentId: string })[];
  /** The id is empty for usage without the name of a model. */
  readonly models: readonly (Totals & { readonly modelId: string })[];
  readonly tools: readonly (ToolTotals & { readonly tool: string })[];
}

/** Folds the tokens, cost and time of a thread. Each subagent counts as a separate run. */
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

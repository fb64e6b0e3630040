import { type AgentEvent, type Handlers, isKnownEvent, type LoggedEvent } from '../events/index.ts';
import type { Item, LooseItem, NoticeItem, RelayItem, Run, UsageTotal } from './thread-view-item.ts';
import {
  addFragment,
  addItem,
  addReport,
  beginStep,
  changeExecution,
  changeTool,
  place,
  resolveRelay,
  upsertTool,
} from './thread-view-run.ts';
import { type ThreadView, viewOf } from './thread-view-tree.ts';

/** What the fold keeps. Every step returns a new state and leaves the old one as it is. */
export interface ThreadViewState {
  /** The newest event taken in. */
  readonly seq: number;
  readonly runs: readonly Run[];
  readonly runIndex: ReadonlyMap<string, number>;
  /** What people and their settings put between the runs. */
  readonly loose: readonly LooseItem[];
  readonly usage: UsageTotal;
}

type State = ThreadViewState;
type Unplaced<Kind extends LooseItem> = Kind extends LooseItem ? Omit<Kind, 'seq' | 'step'> : never;
type Logged<Event> = Event & { readonly seq: number; readonly ts: string };

/** A conversation as a person reads it: a fold over the events of a thread, and the view of what it has. */
export const threadView: {
  readonly initial: ThreadViewState;
  /** Takes in the next event; one that was taken in before, or of a type this version does not know, adds nothing. */
  readonly step: (state: ThreadViewState, event: LoggedEvent) => ThreadViewState;
  readonly view: (state: ThreadViewState) => ThreadView;
} = {
  initial: { seq: 0, runs: [], runIndex: new Map(), loose: [], usage: { inputTokens: 0, outputTokens: 0 } },
  step: (state, event) => {
    if (event.seq <= state.seq) return state;
    const seen = { ...state, seq: event.seq };
    if (!isKnownEvent(event)) return seen;
    return (on[event.type] as (event: AgentEvent, state: State) => State)(event, seen);
  },
  view: viewOf,
};

const on: Handlers<[State], State> = {
  harness_start: (event, state) =>
    inRun(state, event, run => ({
      ...run,
      agentId: event.agentId,
      ...(event.model !== undefined && { model: event.model }),
    })),
  harness_end: (event, state) => inRun(state, event, run => ({ ...run, status: event.reason ?? 'complete' })),
  step_start: (event, state) =>
    inRun(state, event, run => ({
      ...beginStep(run, event.step),
      ...(event.model !== undefined && { model: event.model }),
    })),
  session: nothing,
  user: (event, state) =>
    besideRuns(
      state,
      event,
      event.by === undefined
        ? { kind: 'user', content: event.content }
        : line('info', `The agent was told what the subagent "${event.by}" said.`),
    ),
  text: (event, state) => inRun(state, event, addFragment),
  reasoning: (event, state) => inRun(state, event, addFragment),
  tool_input_delta: (event, state) =>
    inRun(state, event, (run, logged) =>
      upsertTool(run, logged, item => (item.call ? item : { ...item, inputText: item.inputText + event.delta })),
    ),
  tool_call: (event, state) =>
    inRun(state, event, (run, logged) => upsertTool(run, logged, item => ({ ...item, call: { input: event.input } }))),
  tool_start: (event, state) =>
    inRun(state, event, (run, logged) => ({
      ...upsertTool(run, logged, item => ({ ...item, started: true })),
      tellsStart: true,
    })),
  tool_progress: (event, state) =>
    inRun(state, event, run => changeTool(run, event.toolCallId, item => addReport(item, event.content)) ?? run),
  tool_result: (event, state) =>
    inRun(state, event, (run, logged) =>
      upsertTool(run, logged, item => (item.output ? item : { ...item, output: event.output })),
    ),
  repl_input: (event, state) =>
    inRun(state, event, (run, logged) =>
      addItem(run, {
        kind: 'repl',
        ...place(run, logged),
        id: event.id,
        code: event.code,
        printed: '',
        ended: false,
      }),
    ),
  repl_progress: (event, state) =>
    inRun(state, event, run =>
      changeExecution(run, event.id, item => ({ ...item, printed: item.printed + event.chunk })),
    ),
  repl_output: (event, state) =>
    inRun(state, event, run =>
      changeExecution(run, event.id, item => ({
        ...item,
        printed: event.stdout,
        ended: true,
        ...(event.error !== undefined && { error: event.error }),
      })),
    ),
  relay: (event, state) =>
    inRun(state, event, (run, logged) => {
      const relay: RelayItem = {
        kind: 'relay',
        ...place(run, logged),
        id: event.id,
        runId: event.runId,
        relay: event,
      };
      const attach = event.relayKind !== 'question' && event.relayKind !== 'plan' ? event.toolCallId : undefined;
      const attached = attach === undefined ? undefined : changeTool(run, attach, item => ({ ...item, relay }));
      return attached ?? addItem(run, relay);
    }),
  relay_resolved: (event, state) => {
    const index = state.runs.findLastIndex(run => resolveRelay(run, event) !== undefined);
    const run = state.runs[index];
    return run === undefined ? state : { ...state, runs: state.runs.with(index, resolveRelay(run, event) as Run) };
  },
  plan_status: nothing,
  tasks: (event, state) => besideRuns(withoutTasks(state), event, { kind: 'tasks', tasks: event.tasks }),
  summary: (event, state) => besideRuns(state, event, line('info', 'Earlier messages were summarised for the agent.')),
  usage: (event, state) => {
    const { inputTokens, outputTokens, cost } = state.usage;
    const total = event.cost === undefined ? cost : (cost ?? 0) + event.cost;
    const usage = {
      inputTokens: inputTokens + event.inputTokens,
      outputTokens: outputTokens + event.outputTokens,
      ...(total !== undefined && { cost: total }),
    };
    return { ...state, usage };
  },
  error: (event, state) => besideRuns(state, event, line('error', event.message)),
  warning: (event, state) => besideRuns(state, event, line('warning', event.message)),
  file_registered: (event, state) => besideRuns(state, event, line('info', `File ready: ${event.path}`)),
  unknown: nothing,
  custom: nothing,
  mode_changed: (event, state) => besideRuns(state, event, line('info', `Mode: ${event.modeId}`)),
  model_changed: (event, state) => besideRuns(state, event, line('info', `Model: ${event.modelId}`)),
  branch_selected: nothing,
  collapsed: nothing,
  abort_requested: nothing,
};

function nothing(_event: AgentEvent, state: State): State {
  return state;
}

function line(level: NoticeItem['level'], message: string): Unplaced<NoticeItem> {
  return { kind: 'notice', level, message };
}

/** The state with an item put into the event's run, or between the runs when it belongs to none. */
function besideRuns(state: State, event: AgentEvent, item: Unplaced<LooseItem>): State {
  if (state.runIndex.has(event.runId))
    return inRun(state, event, (run, logged) => addItem(run, { ...item, ...place(run, logged) }));
  return { ...state, loose: [...state.loose, { ...item, seq: state.seq }] };
}

/** The state without its task lists: only the newest is shown. */
function withoutTasks(state: State): State {
  const runs = state.runs.map(run => {
    const items = noTasks(run.items);
    return items === run.items ? run : { ...run, items };
  });
  return { ...state, loose: noTasks(state.loose), runs };
}

function noTasks<Kind extends Item>(items: readonly Kind[]): readonly Kind[] {
  return items.some(item => item.kind === 'tasks') ? items.filter(item => item.kind !== 'tasks') : items;
}

/** The state with the event's run changed; the run begins with its first event. */
function inRun<Event extends AgentEvent>(
  state: State,
  event: Event,
  change: (run: Run, event: Logged<Event>) => Run,
): State {
  const logged = event as Logged<Event>;
  const index = state.runIndex.get(event.runId) ?? state.runs.length;
  const known = state.runs[index];
  const { runId, parentId, agentId } = event;
  const run = known ?? {
    runId,
    seq: logged.seq,
    status: 'running',
    tellsStart: false,
    items: [],
    ...(agentId !== undefined && { agentId }),
    ...(parentId !== undefined && { parentId }),
  };
  const changed = change(run, logged);
  if (known !== undefined) return { ...state, runs: state.runs.with(index, changed) };
  return { ...state, runs: [...state.runs, changed], runIndex: new Map(state.runIndex).set(runId, index) };
}

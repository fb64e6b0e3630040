import { type AgentEvent, type EventOf, type Handlers, isKnownEvent, type ToolOutput } from '../../events/index.ts';
import type { Activity, Operation } from './activity.ts';
import { ActivityRun } from './activity-run.ts';
import { nativeTools } from './tables/native.ts';
import { toolTables } from './tables/index.ts';
import { ruleFor, type ToolTable } from './tool-table.ts';

/** The raw line of a number, parsed when it is JSON; undefined when it is not at hand. */
export type LineOf = (line: number, runId: string) => unknown;

/** What `projectActivity` remembers from event to event: only what is open. */
export interface ActivityState {
  readonly tables: Readonly<Record<string, ToolTable>>;
  readonly runs: Map<string, ActivityRun>;
}

/** A state before the first event; `tables` replaces or adds the tool tables of agents. */
export function createActivityState(tables: Readonly<Record<string, ToolTable>> = {}): ActivityState {
  return { tables: { ...toolTables, ...tables }, runs: new Map() };
}

/**
 * The activity that one more event of a thread adds, whatever agent it came from: an operation is emitted with the result
 * of its call, one of an unmapped tool at its call as `unknown`, and one without a result when its run ends. The state
 * is moved forward; the same events always give the same activity.
 */
export function projectActivity(state: ActivityState, event: AgentEvent, lineOf: LineOf = () => undefined): Activity[] {
  if (!isKnownEvent(event)) return [];
  const run = state.runs.get(event.runId);
  const spoken = run !== undefined && !continuesText(run, event) ? finishText(run) : [];
  const handle = handlers[event.type] as (event: AgentEvent, state: ActivityState, lineOf: LineOf) => Activity[];
  return [...spoken, ...handle(event, state, lineOf)];
}

const handlers: Handlers<[ActivityState, LineOf], Activity[]> = {
  harness_start: (event, state) => {
    const parent = parentOf(state, event);
    const subagent = parent && { subagentId: subagentIdOf(event.runId), subagentName: event.agentId };
    const own = Object.hasOwn(state.tables, event.agentId) ? state.tables[event.agentId] : undefined;
    const run = new ActivityRun(own ?? parent?.table ?? nativeTools, event.cwd ?? parent?.cwd, subagent);
    state.runs.set(event.runId, run);
    const spoken = parent === undefined ? [] : finishText(parent);
    return subagent === undefined
      ? []
      : [...spoken, stamped(event, { type: 'orchestration', action: 'subagent_started', ...subagent })];
  },
  harness_end: (event, state, lineOf) => {
    const run = state.runs.get(event.runId);
    if (run === undefined) return [];
    state.runs.delete(event.runId);
    const open = [...run.calls.values()].flatMap(call => callActivity(run, call, { event, lineOf }));
    return [...open, ...subagentEnd(run, event)];
  },
  session: (event, state) => {
    const run = runOf(state, event);
    run.cwd = event.cwd ?? run.cwd;
    return [];
  },
  text: (event, state) => {
    addText(runOf(state, event), event);
    return [];
  },
  tool_call: (event, state, lineOf) => {
    const run = runOf(state, event);
    if (ruleFor(run.table, event.name) === undefined) return [unknownCall(event, event, lineOf)];
    const forgotten = run.open(event);
    return forgotten === undefined ? [] : callActivity(run, forgotten, { event, lineOf });
  },
  tool_result: (event, state, lineOf) => {
    const run = runOf(state, event);
    const call = run.calls.get(event.id);
    if (call === undefined) return [];
    run.calls.delete(event.id);
    return callActivity(run, call, { event, lineOf, output: event.output });
  },
  error: event => [stamped(event, { type: 'error', message: event.message, ...codeOf(event) })],
  warning: event => [stamped(event, { type: 'warning', message: event.message, ...codeOf(event) })],
  unknown: event => [stamped(event, { type: 'unknown', raw: event.raw })],
  step_start: nothing,
  user: nothing,
  reasoning: nothing,
  tool_input_delta: nothing,
  tool_start: nothing,
  tool_progress: nothing,
  repl_input: nothing,
  repl_progress: nothing,
  repl_output: nothing,
  relay: nothing,
  relay_resolved: nothing,
  plan_status: nothing,
  tasks: nothing,
  summary: nothing,
  usage: nothing,
  file_registered: nothing,
  custom: nothing,
  mode_changed: nothing,
  model_changed: nothing,
  branch_selected: nothing,
  collapsed: nothing,
  abort_requested: nothing,
};

function nothing(): Activity[] {
  return [];
}

interface Told {
  /** The event of the operation. */
  readonly event: AgentEvent;
  readonly lineOf: LineOf;
  readonly output?: ToolOutput;
}

function callActivity(run: ActivityRun, call: EventOf<'tool_call'>, { event, lineOf, output }: Told): Activity[] {
  const input = typeof call.input === 'object' && call.input !== null ? (call.input as Record<string, unknown>) : {};
  const { cwd, shellCwd } = run;
  const operations = ruleFor(run.table, call.name)?.operations(input, { cwd, shellCwd, output });
  run.ran(input['command']);
  if (operations === undefined) return [unknownCall(call, event, lineOf)];
  return operations.map(operation => stamped(event, operation));
}

function unknownCall(call: EventOf<'tool_call'>, event: AgentEvent, lineOf: LineOf): Activity {
  const line = call.line === undefined ? undefined : lineOf(call.line, call.runId);
  return stamped(event, { type: 'unknown', raw: line ?? { name: call.name, input: call.input } });
}

function subagentEnd({ subagent }: ActivityRun, event: EventOf<'harness_end'>): Activity[] {
  const { reason = 'complete' } = event;
  if (subagent === undefined || reason === 'interrupted') return [];
  const isSuccess = reason === 'complete';
  const action = isSuccess ? 'subagent_completed' : 'subagent_failed';
  return [stamped(event, { type: 'orchestration', action, ...subagent, isSuccess })];
}

/** The open run whose call caused this one. */
function parentOf({ runs }: ActivityState, { parentId }: AgentEvent): ActivityRun | undefined {
  if (parentId === undefined) return undefined;
  for (const [runId, run] of runs) if (run.calls.has(parentId) || parentId.startsWith(`${runId}/`)) return run;
  return undefined;
}

/** External subagents have their own id in the id of their run: `{run}/{id}/run`. */
function subagentIdOf(runId: string): string {
  return /\/([^/]+)\/run$/.exec(runId)?.[1] ?? runId;
}

/** The run of an event; one whose start was not seen is taken as it comes. */
function runOf({ runs, tables }: ActivityState, { runId, agentId }: AgentEvent): ActivityRun {
  const known = runs.get(runId);
  if (known !== undefined) return known;
  const run = new ActivityRun((agentId !== undefined && tables[agentId]) || nativeTools, undefined);
  runs.set(runId, run);
  return run;
}

/** Text of one model call is one message; reasoning between its blocks does not end it. */
function continuesText({ text }: ActivityRun, event: AgentEvent): boolean {
  if (event.type === 'reasoning' || event.type === 'tool_input_delta') return true;
  return event.type === 'text' && text?.key === textKey(event);
}

function addText(run: ActivityRun, event: EventOf<'text'>): void {
  const before = run.text;
  const separator = before === undefined || before.id === event.id ? '' : '\n';
  run.text = {
    key: textKey(event),
    id: event.id,
    content: `${before?.content ?? ''}${separator}${event.content}`,
    ts: event.ts ?? '',
    sessionId: event.sessionId,
  };
}

function textKey({ id, callId }: EventOf<'text'>): string {
  return callId ?? id;
}

function finishText(run: ActivityRun): Activity[] {
  const { text } = run;
  run.text = undefined;
  if (text === undefined || text.content.trim() === '') return [];
  return [stamped(text, { type: 'agent', message: text.content })];
}

type Entry =
  | Operation
  | { type: 'agent'; message: string }
  | { type: 'error' | 'warning'; message: string; code?: string }
  | { type: 'unknown'; raw: unknown };

function stamped(
  { ts, sessionId }: { ts?: string | undefined; sessionId?: string | undefined },
  entry: Entry,
): Activity {
  const { type, ...rest } = entry;
  return { type, timestamp: ts ?? '', ...(sessionId !== undefined && { sessionId }), ...rest } as Activity;
}

function codeOf({ code }: { code?: string | undefined }): { code?: string } {
  return code === undefined ? {} : { code };
}

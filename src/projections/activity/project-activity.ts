import { defined } from '../../base/defined.ts';
import { type AgentEvent, type EventOf, type Handlers, isKnownEvent } from '../../events/vocabulary.ts';
import { type ToolOutput, toToolOutput } from '../../events/tools.ts';
import { unnamedSubagent } from '../../events/unnamed-subagent.ts';
import type { Activity, Operation } from './activity.ts';
import { ActivityRun } from './activity-run.ts';
import { nativeTools } from './tables/native.ts';
import { toolTables } from './tables/tool-tables.ts';
import { ruleFor, type ToolTable } from './tool-table.ts';

/** Returns the record on a raw line, parsed when it is JSON; undefined when it is not available. */
export type LineOf = (line: number, runId: string) => unknown;

/** The state of `projectActivity`; it has only open runs. */
export interface ActivityState {
  readonly tables: Readonly<Record<string, ToolTable>>;
  readonly runs: Map<string, ActivityRun>;
}

/** A state before the first event; `tables` replaces or adds the tool tables of agents. */
export function createActivityState(tables: Readonly<Record<string, ToolTable>> = {}): ActivityState {
  return { tables: { ...toolTables, ...tables }, runs: new Map() };
}

/**
 * Returns the activity that the next event of a thread adds, for events of any agent. A message is added with its final
 * fragment, or with the next other event when its end is not marked; an operation with the result of its call, or when
 * its run ends without one. A tool that is not understood is `unknown` with the record of its result. Advances the
 * state; the same events always return the same activity.
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
    const parent = findParent(state, event);
    const subagent = parent && getSubagent(event);
    const own = Object.hasOwn(state.tables, event.agentId) ? state.tables[event.agentId] : undefined;
    const run = new ActivityRun(own ?? parent?.table ?? nativeTools, event.cwd ?? parent?.cwd, subagent);
    state.runs.set(event.runId, run);
    const spoken = parent === undefined || continuesText(parent, event) ? [] : finishText(parent);
    if (event.parentId !== undefined) parent?.starters.add(event.parentId);
    return subagent === undefined
      ? []
      : [...spoken, stamped(event, { type: 'orchestration', action: 'subagent_started', ...subagent })];
  },
  harness_end: (event, state, lineOf) => {
    const run = state.runs.get(event.runId);
    if (run === undefined) return [];
    state.runs.delete(event.runId);
    return [...openCalls(run, event, lineOf), ...subagentEnd(run, event)];
  },
  session: (event, state) => {
    const run = getRun(state, event);
    run.cwd = event.cwd ?? run.cwd;
    return [];
  },
  text: (event, state) => {
    const run = getRun(state, event);
    if (event.fromResult === true) return [];
    addText(run, event);
    return event.final === true ? finishText(run) : [];
  },
  reasoning: (event, state, lineOf) => {
    const run = getRun(state, event);
    if (run.table.isReasoningUnknown !== true || run.reasoning === event.id) return [];
    run.reasoning = event.id;
    return [stamped(event, { type: 'unknown', raw: getRecord(event, lineOf) ?? event })];
  },
  tool_call: (event, state, lineOf) => {
    const run = getRun(state, event);
    if (run.table.isNamedOnlyByCall?.(event.name) === true && ruleFor(run.table, event.name) === undefined)
      return [unknownCall(run, event, { event, lineOf })];
    const forgotten = run.open(event);
    return forgotten === undefined ? [] : callActivity(run, forgotten, { event, lineOf });
  },
  tool_result: (event, state, lineOf) => {
    const run = getRun(state, event);
    const call = run.calls.get(event.id);
    if (call === undefined) return [];
    run.calls.delete(event.id);
    return callActivity(run, call, { event, lineOf, output: toToolOutput(event.output) });
  },
  relay: (event, state) => {
    if (event.relayKind === 'permission') state.runs.get(event.runId)?.asked.set(event.id, event.toolCallId);
    return [];
  },
  relay_resolved: (event, state) => {
    state.runs.get(event.runId)?.answered(event);
    return [];
  },
  error: (event, state, lineOf) => {
    const run = getRun(state, event);
    const open = event.fatal === true ? openCalls(run, event, lineOf) : [];
    return [...open, ...errorActivity(run, event)];
  },
  warning: event => [stamped(event, { type: 'warning', message: event.message, ...getCode(event) })],
  unknown: event => [stamped(event, { type: 'unknown', raw: event.raw })],
  step_start: nothing,
  user: nothing,
  tool_input_delta: nothing,
  tool_start: nothing,
  tool_progress: nothing,
  repl_input: nothing,
  repl_progress: nothing,
  repl_output: nothing,
  plan_status: nothing,
  tasks: nothing,
  summary: nothing,
  usage: nothing,
  file_registered: nothing,
  custom: nothing,
  mode_changed: nothing,
  model_changed: nothing,
  folder_changed: nothing,
  grant_revoked: nothing,
  branch_selected: nothing,
  collapsed: nothing,
  abort_requested: nothing,
  steer_requested: nothing,
  model_context: nothing,
  message_queued: nothing,
  message_changed: nothing,
  message_withdrawn: nothing,
  run_requested: nothing,
};

function nothing(): Activity[] {
  return [];
}

/** The completion of a call, by its result or by the end of its run. */
interface Completion {
  /** The event that completes the operation. */
  readonly event: AgentEvent;
  readonly lineOf: LineOf;
  readonly output?: ToolOutput;
}

/** The calls that have no result, when their run ends; those of a run that was stopped were stopped with it. */
function openCalls(run: ActivityRun, event: AgentEvent, lineOf: LineOf): Activity[] {
  const calls = [...run.calls.values()];
  run.calls.clear();
  const isStopped =
    event.type === 'error' ? event.code === 'timeout' : event.type === 'harness_end' && event.reason === 'aborted';
  const output = isStopped ? { error: 'It was stopped.' } : undefined;
  return calls.flatMap(call => callActivity(run, call, { event, lineOf, ...defined({ output }) }));
}

function callActivity(run: ActivityRun, call: EventOf<'tool_call'>, completion: Completion): Activity[] {
  const { event, output } = completion;
  if (run.starters.delete(call.id)) return [];
  const input = typeof call.input === 'object' && call.input !== null ? (call.input as Record<string, unknown>) : {};
  const { cwd, shellCwd } = run;
  const operations = ruleFor(run.table, call.name)?.operations(input, { cwd, shellCwd, output });
  run.ran(input['command']);
  if (operations === undefined) return [unknownCall(run, call, completion)];
  return operations.map(operation => stamped(event, operation));
}

/** The record of the result represents the call, or the record of the call when that is the one with its name. */
function unknownCall(run: ActivityRun, call: EventOf<'tool_call'>, { event, lineOf, output }: Completion): Activity {
  const isCall = event.type !== 'tool_result' || run.table.isNamedOnlyByCall?.(call.name) === true;
  const source = isCall ? call : event;
  const failure = output === undefined || 'context' in output ? undefined : { output };
  return stamped(event, { type: 'unknown', raw: getRecord(source, lineOf) ?? { ...call, ...failure } });
}

function getRecord({ line, runId }: AgentEvent, lineOf: LineOf): unknown {
  return line === undefined ? undefined : lineOf(line, runId);
}

/** The failure of a subagent is its `subagent_failed`; the fatal error that ends a run may repeat an earlier one. */
function errorActivity(run: ActivityRun, event: EventOf<'error'>): Activity[] {
  const { message, fatal } = event;
  if (fatal === true && (run.subagent !== undefined || message === run.lastError)) return [];
  run.lastError = message;
  const text = message.trim() === '' ? 'An error without a message.' : message;
  return [stamped(event, { type: 'error', message: text, ...getCode(event) })];
}

function subagentEnd({ subagent }: ActivityRun, event: EventOf<'harness_end'>): Activity[] {
  const { reason = 'complete' } = event;
  if (subagent === undefined || reason === 'interrupted') return [];
  const isSuccess = reason === 'complete';
  const action = isSuccess ? 'subagent_completed' : 'subagent_failed';
  return [stamped(event, { type: 'orchestration', action, ...subagent, isSuccess })];
}

/** The open run whose call caused this one. */
function findParent({ runs }: ActivityState, { parentId }: AgentEvent): ActivityRun | undefined {
  if (parentId === undefined) return undefined;
  let [nearest, length] = [undefined as ActivityRun | undefined, 0];
  for (const [runId, run] of runs) {
    if (run.calls.has(parentId)) return run;
    if (parentId.startsWith(`${runId}/`) && runId.length > length) [nearest, length] = [run, runId.length];
  }
  return nearest;
}

/** External subagents have their own id in the id of their run: `{run}/{id}/run`. */
function getSubagent({ runId, agentId }: EventOf<'harness_start'>): ActivityRun['subagent'] {
  const subagentId = /\/([^/]+)\/run$/.exec(runId)?.[1] ?? runId;
  return agentId === unnamedSubagent ? { subagentId } : { subagentId, subagentName: agentId };
}

/** The run of an event; one whose start was not seen is taken as it comes. */
function getRun({ runs, tables }: ActivityState, { runId, agentId }: AgentEvent): ActivityRun {
  const known = runs.get(runId);
  if (known !== undefined) return known;
  const run = new ActivityRun((agentId !== undefined && tables[agentId]) || nativeTools, undefined);
  runs.set(runId, run);
  return run;
}

/**
 * Text of one model call is one message; its reasoning and its usage do not end it. A message that a later fragment
 * completes is ended only by that fragment, by another message and by the end of its run.
 */
function continuesText({ text }: ActivityRun, event: AgentEvent): boolean {
  if (event.type === 'reasoning' || event.type === 'tool_input_delta') return true;
  if (event.type !== 'text' && text?.isOpen === true) return !endsOpenText(event);
  if (event.type === 'usage') return event.callId !== undefined && event.callId === text?.key;
  return event.type === 'text' && text?.key === textKey(event);
}

function endsOpenText(event: AgentEvent): boolean {
  return (
    event.type === 'step_start' || event.type === 'harness_end' || (event.type === 'error' && event.fatal === true)
  );
}

function addText(run: ActivityRun, event: EventOf<'text'>): void {
  const before = run.text;
  // An empty last fragment that names the line of the fragment before it only marks the end.
  const isMark = event.content === '' && before !== undefined && before.line === event.line;
  const separator = before === undefined || before.id === event.id ? '' : '\n';
  run.text = {
    key: textKey(event),
    id: event.id,
    isOpen: event.final === false,
    content: `${before?.content ?? ''}${separator}${event.content}`,
    ts: isMark ? before.ts : (event.ts ?? ''),
    line: event.line,
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

function getCode({ code }: { code?: string | undefined }): { code?: string } {
  return code === undefined ? {} : { code };
}

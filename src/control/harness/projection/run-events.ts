import type { EventOf, Handlers } from '../../../events/vocabulary.ts';
import { endReason } from '../messages/message-view.ts';
import { toolOutcome } from '../messages/tool-outcome.ts';
import { toTokenUsage } from '../token-usage.ts';
import { OpenSet } from './open-set.ts';
import type { ProjectedRun } from './projection-state.ts';
import type { ProjectionStep } from './projection-step.ts';

/** Emits the harness events of an event of a run. */
export const onRun: Handlers<[ProjectedRun, ProjectionStep], void> = {
  harness_start: nothing,
  harness_end: (event, run, step) => {
    const reason = endReason(event.reason ?? 'complete');
    const done = step.emitUsage({ ...run, calls: OpenSet.empty() });
    step.endMessage(reason === 'error' && done.since === undefined ? step.startMessage(done, event) : done);
    const runs = new Map(step.state.runs);
    runs.delete(run.place.messageId);
    step.change({ runs });
    if (runs.size === 0) step.emit({ type: 'agent_end', reason });
  },
  step_start: (event, run, step) => {
    const { textId: _, ...done } = step.emitUsage({ ...run, calls: OpenSet.empty() });
    for (const toolCallId of run.inputs) step.emit({ type: 'tool_input_end', toolCallId });
    const next = step.set({ ...done, step: event.step, inputs: OpenSet.empty() });
    if (run.step === event.step && run.since !== undefined) step.updateMessage(next, event);
  },
  session: nothing,
  user: (_, run, step) => {
    const { messageId, after } = run.place;
    const { since: _since, textId: _textId, ...rest } = step.emitUsage({ ...run, calls: OpenSet.empty() });
    step.endMessage(run);
    step.emitUser(messageId);
    step.set({ ...rest, place: { messageId, after: after + 1 } });
  },
  text: (event, run, step) => {
    const goesOn = run.textId === event.id && run.since !== undefined;
    const started = goesOn ? run : step.set({ ...step.startMessage(run, event), textId: event.id });
    step.updateMessage(started, event, { type: 'text', delta: event.content });
  },
  reasoning: (event, run, step) => void step.updateMessage(run, event, { type: 'thinking', delta: event.content }),
  tool_input_delta: ({ id: toolCallId, name, delta }, run, step) => {
    if (!run.inputs.has(toolCallId)) {
      step.emit({ type: 'tool_input_start', toolCallId, toolName: name ?? '' });
      step.set({ ...run, inputs: run.inputs.with(toolCallId) });
    }
    const toolName = name === undefined ? {} : { toolName: name };
    step.emit({ type: 'tool_input_delta', toolCallId, argsTextDelta: delta, ...toolName });
  },
  tool_call: (event, run, step) => {
    const { id: toolCallId, name: toolName, input: args } = event;
    const inputs = run.inputs.without(toolCallId);
    if (inputs !== run.inputs) step.emit({ type: 'tool_input_end', toolCallId });
    const { textId: _, ...rest } = run.since === undefined ? step.startMessage(run, event) : run;
    step.emit({ type: 'tool_start', toolCallId, toolName, args });
    const callPlaces = new Map(run.callPlaces).set(toolCallId, { place: rest.place, since: rest.since as Date });
    if (callPlaces.size > maxCallPlaces) callPlaces.delete(callPlaces.keys().next().value ?? '');
    step.updateMessage(step.set({ ...rest, inputs, callPlaces, calls: run.calls.with(toolCallId) }), event);
  },
  tool_start: nothing,
  tool_progress: (event, _, step) => step.emit(toProgress(event)),
  tool_result: (event, run, step) => {
    const { textId: _, ...rest } = run;
    step.emit({ type: 'tool_end', toolCallId: event.id, ...toolOutcome(event.output) });
    const callPlaces = new Map(run.callPlaces);
    callPlaces.delete(event.id);
    const changed = step.set({ ...rest, callPlaces, calls: run.calls.without(event.id) });
    // After an injected user message, the call belongs to an earlier message that has ended.
    const place = run.callPlaces.get(event.id);
    const isEarlier = place !== undefined && place.place.after !== run.place.after;
    step.emitUsage(isEarlier ? step.updateEarlier(changed, place) : step.updateMessage(changed, event));
  },
  repl_input: nothing,
  repl_progress: nothing,
  repl_output: nothing,
  relay: nothing,
  relay_resolved: nothing,
  plan_status: nothing,
  tasks: nothing,
  summary: nothing,
  usage: (event, run, step) => void step.emitUsage(run, toTokenUsage(event)),
  error: nothing,
  warning: nothing,
  file_registered: nothing,
  unknown: nothing,
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

function nothing(): void {}

/** Limits how many open calls are tracked: some programs never report results. */
const maxCallPlaces = 100;

/** Shell output is marked by its fields; any other progress belongs to the tool. */
function toProgress({ toolCallId, content }: EventOf<'tool_progress'>) {
  const { stream, output } = Object(content) as Readonly<Record<string, unknown>>;
  if ((stream === 'stdout' || stream === 'stderr') && typeof output === 'string')
    return { type: 'shell_output', toolCallId, output, stream } as const;
  return { type: 'tool_update', toolCallId, partialResult: content } as const;
}

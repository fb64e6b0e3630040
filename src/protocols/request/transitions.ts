import { replacesAttempt } from '../../events/attempt.ts';
import type { ToolOutput } from '../../events/tools.ts';
import { noUsage } from '../../events/usage-sum.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { toDecision, openRelay, type RelayDecision, undecided } from './decision.ts';
import { agentOutcome, type EndReason, noResult, type PlanStatus, type RequestOutcome } from './fact.ts';
import type { OpenCall, OpenRelay, OpenRun } from './open.ts';
import type { RequestState } from './standing.ts';
import { readProgress } from './shown-call.ts';
import { requestUsage } from './totals.ts';

/** Starts a step of a run that reports none: at its first output, and at the first output after tool results. */
export function ensureStep(state: RequestState, run: OpenRun): void {
  const silent = run.step === undefined && run.answered && run.calls.size === 0;
  if (run.steps === 0 || silent) stepBegan(state, run);
}

/** Emits that a step of the root run began. */
export function stepBegan(state: RequestState, run: OpenRun): void {
  run.steps++;
  run.answered = false;
  run.inputs.clear();
  if (run.parent === undefined) state.emit({ type: 'step', attempt: run.attempt });
}

/** Emits text and reasoning of the root run; for subagents only the last text is kept. */
export function speak(state: RequestState, run: OpenRun, event: EventOf<'text'> | EventOf<'reasoning'>): void {
  const { type, id, content } = event;
  if (content === '') return;
  ensureStep(state, run);
  state.totals.hear(run, state.at, type === 'text');
  if (run.parent === undefined) state.emit({ type, id, text: content });
  else if (type === 'text') run.words += content;
}

/** Emits the input of a call of the root run while it is written. */
export function streamInput(state: RequestState, run: OpenRun, event: EventOf<'tool_input_delta'>): void {
  const { id, name, delta } = event;
  if (state.runs.callNamed(id) !== undefined) return;
  ensureStep(state, run);
  state.totals.hear(run, state.at, false);
  const known = run.inputs.get(id);
  const toolName = known?.toolName ?? name;
  if (run.parent !== undefined || toolName === undefined) return;
  const input = known ?? { key: run.getKey(id), toolName };
  run.inputs.set(id, input);
  state.emit({ type: 'input', ...input, delta });
}

/** Opens a call; nothing happens when a call of that id is open. */
export function openCall(
  state: RequestState,
  run: OpenRun,
  { id, toolName, input }: { id: string; toolName: string; input: unknown },
): void {
  if (state.runs.callNamed(id) !== undefined) return;
  ensureStep(state, run);
  state.totals.hear(run, state.at, false);
  run.inputs.delete(id);
  const call: OpenCall = {
    id,
    key: run.getKey(id),
    toolName,
    input,
    run,
    step: run.steps,
    relays: new Set(),
    started: false,
    refused: false,
    spawned: false,
    phase: 0,
    since: state.at,
    waitedMs: 0,
  };
  state.runs.addCall(call);
  state.emit({ type: 'call', call });
}

/** Notes that a call is executed from now on. */
export function startCall(state: RequestState, id: string): void {
  const call = state.runs.callNamed(id);
  if (call === undefined || call.started) return;
  call.started = true;
  call.since = state.at;
}

/** Emits what a running call reports. */
export function reportProgress(state: RequestState, id: string, content: unknown): void {
  const call = state.runs.callNamed(id);
  if (call === undefined) return;
  const progress = readProgress(content, call);
  call.phase = progress.phaseIndex;
  state.emit({ type: 'progress', call, progress });
}

/** Closes a call with its result, after deciding its pending relays. */
export function closeCall(
  state: RequestState,
  call: OpenCall | undefined,
  output: ToolOutput,
  abandoned = false,
): void {
  if (call === undefined) return;
  const { run, relays } = call;
  for (const relay of relays) decide(state, relay, undecided('It was withdrawn: the call has its result.'));
  state.runs.dropCall(call);
  const denied = !('context' in output || 'error' in output);
  if (call.started || !(abandoned || denied || call.refused)) state.totals.endCall(call, state.at);
  if (!abandoned) {
    run.answered = true;
    run.abandoned.delete(call.id);
    run.words = '';
    if (run.calls.size === 0) state.totals.ask(run, state.at);
  }
  state.emit({ type: 'result', call, output, ...(abandoned && { abandoned }) });
}

const repeated = 'It was not run: the model was asked again.';

/** Begins a step; a new attempt at an incomplete step replaces it and its calls that never ran. */
export function beginStep(state: RequestState, run: OpenRun, { step, model }: EventOf<'step_start'>): void {
  if (replacesAttempt(run, step)) {
    for (const call of run.calls) {
      if (call.started || call.step !== run.steps) continue;
      closeCall(state, call, { error: repeated }, true);
      run.abandon(call.id);
    }
    for (const id of run.inputs.keys()) run.abandon(id);
    run.attempt++;
    state.totals.retry();
  } else run.attempt = 1;
  run.step = step;
  run.isComplete = false;
  run.model = model ?? run.model;
  run.words = '';
  state.totals.ask(run, state.at);
  stepBegan(state, run);
}

/** Resolves a relay that was answered, cancelled or expired; later resolutions are ignored. */
export function resolve(state: RequestState, event: EventOf<'relay_resolved'>): void {
  const isFirst = state.book.get(event.relayId)?.status === 'pending';
  const relay = isFirst ? state.relays.get(event.relayId) : undefined;
  if (relay !== undefined) decide(state, relay, toDecision(event));
}

/** Emits the decision on a relay, and the resulting change of a plan. */
export function decide(state: RequestState, relay: OpenRelay, decision: RelayDecision): void {
  state.relays.delete(relay.id);
  relay.run.relays.delete(relay);
  relay.call?.relays.delete(relay);
  const waited = state.totals.endRelay(relay.askedAt, state.at);
  if (relay.call !== undefined) {
    relay.call.waitedMs += waited;
    if (relay.kind === 'tool') relay.call.refused = decision.outcome === 'reject';
  }
  state.emit({ type: 'decided', relay, decision });
  if (relay.kind === 'plan' && state.plans.get(relay.target) === 'pending_approval')
    movePlan(state, relay.target, decision.outcome === 'approve' ? 'approved' : 'draft');
}

/** Emits where a plan stands now; `from` is where it stood when that was not emitted before. A new plan is a draft. */
export function movePlan(state: RequestState, planId: string, to: PlanStatus, from?: PlanStatus): void {
  const shown = state.plans.get(planId) ?? from ?? 'draft';
  if (shown === to) return;
  if (to === 'draft' || to === 'executed' || to === 'failed') state.plans.delete(planId);
  else state.plans.set(planId, to);
  state.emit({ type: 'plan', change: { planId, from: shown, to } });
}

/** Opens a relay; a permission for a call that is not open opens the call too. */
export function ask(state: RequestState, run: OpenRun, event: EventOf<'relay'>): void {
  if (state.book.get(event.id) !== undefined) return;
  if (event.relayKind === 'permission')
    openCall(state, run, { id: event.toolCallId, toolName: event.tool, input: event.params });
  const call = event.toolCallId === undefined ? undefined : state.runs.callNamed(event.toolCallId);
  const relay = openRelay(event, run, call);
  state.relays.set(relay.id, relay);
  run.relays.add(relay);
  call?.relays.add(relay);
  if (relay.kind === 'plan') movePlan(state, relay.target, 'pending_approval', 'draft');
  state.emit({ type: 'asked', relay });
}

/** Ends a subagent: closes what it has open, then emits how it ended. */
export function endAgent(state: RequestState, agent: OpenRun, reason: EndReason): void {
  closeRun(state, agent);
  state.totals.endAgent(agent, state.at);
  // A run that failed before its first step never used the model that it was started with.
  if (reason !== 'complete' && agent.steps === 0 && agent.usage === noUsage) agent.model = undefined;
  const outcome = agentOutcome(reason, { words: agent.words, message: agent.error?.message });
  state.emit({ type: 'agent-ended', agent, outcome, usage: requestUsage(agent.usage) });
}

/** Ends the request: closes everything open, newest first, then emits the end. */
export function endRequest(state: RequestState, reason: EndReason): void {
  const { root } = state.runs;
  for (const run of state.runs.youngestFirst()) if (run !== root) endAgent(state, run, 'aborted');
  if (root !== undefined) closeRun(state, root);
  state.emit({ type: 'ended', outcome: requestOutcome(root, reason), totals: state.totals.totals() });
}

function requestOutcome(root: OpenRun | undefined, reason: EndReason): RequestOutcome {
  if (reason !== 'error' && reason !== 'limit_reached') return { reason, modelReason: root?.modelReason };
  const { message = 'The run failed and did not say why.', code = 'agent_failed' } = root?.error ?? {};
  return { reason: 'error', message, code };
}

function closeRun(state: RequestState, run: OpenRun): void {
  state.totals.rest(run);
  for (const relay of run.relays) decide(state, relay, undecided('The run ended before anybody answered.'));
  for (const call of [...run.calls].toReversed()) closeCall(state, call, { error: noResult });
  state.runs.drop(run);
}

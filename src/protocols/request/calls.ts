import type { ToolOutput } from '../../events/tools.ts';
import { undecided } from './decision.ts';
import type { OpenCall, OpenRun } from './open.ts';
import { readProgress } from './progress.ts';
import { decide } from './relays.ts';
import type { RequestState } from './request-state.ts';
import { ensureStep } from './steps.ts';

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
    key: run.keyOf(id),
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

/** Gives a call its result, after a decision on everything that was asked about it. */
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

import type { EventOf } from '../../events/vocabulary.ts';
import type { OpenRun } from './open.ts';
import type { RequestState } from './request-state.ts';

/** A run that reports no steps begins one with its first word, and with the first one after its results. */
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

/** Text and reasoning are emitted for the root run; of subagents only what they said last is kept. */
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
  const input = known ?? { key: run.keyOf(id), toolName };
  run.inputs.set(id, input);
  state.emit({ type: 'input', ...input, delta });
}

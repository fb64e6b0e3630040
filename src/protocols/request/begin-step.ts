import type { EventOf } from '../../events/vocabulary.ts';
import { replacesAttempt } from '../../events/attempt.ts';
import { closeCall } from './calls.ts';
import type { OpenRun } from './open.ts';
import type { RequestState } from './request-state.ts';
import { stepBegan } from './steps.ts';

const repeated = 'It was not run: the model was asked again.';

/** A step begins; another attempt at an incomplete one takes its place, and that of its calls that never ran. */
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

import { closeCall } from './calls.ts';
import { undecided } from './decision.ts';
import type { EndReason, RequestOutcome } from './fact.ts';
import type { OpenRun } from './open.ts';
import { agentOutcome, noResult } from './outcome.ts';
import { decide } from './relays.ts';
import type { RequestState } from './request-state.ts';
import { requestUsage } from './totals.ts';
import { noUsage } from '../../events/usage-sum.ts';

/** Ends a subagent: closes what it has open, then emits how it ended. */
export function endAgent(state: RequestState, agent: OpenRun, reason: EndReason): void {
  closeRun(state, agent);
  state.totals.endAgent(agent, state.at);
  // The model that it was started with is not one that it ran on.
  if (reason !== 'complete' && agent.steps === 0 && agent.usage === noUsage) agent.model = undefined;
  const outcome = agentOutcome(reason, { words: agent.words, message: agent.error?.message });
  state.emit({ type: 'agent-ended', agent, outcome, usage: requestUsage(agent.usage) });
}

/** Ends the request: what is open is closed, the youngest first, then the end is emitted. */
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

import type { AgentEvent } from '../../events/vocabulary.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { Agent, InvokeParams } from '../contract/agent.ts';
import { type EventSink, forwardEvents } from '../loop/event-channel.ts';
import { ResultFold, type RunResult } from '../contract/run-result.ts';

/**
 * Runs an agent as a part of another run: forwards each of its events, and the sink holds it back until the event was
 * handled. Resolves with the result.
 */
export async function runChild(agent: Agent, params: InvokeParams, sink: EventSink): Promise<RunResult> {
  const outcome = new ResultFold(params.run.runId, params.run.resume);
  await forwardEvents(agent.invoke(params), {
    put: event => {
      outcome.take(event);
      return sink.put(event);
    },
    pass: event => {
      outcome.take(event);
      return sink.pass(event);
    },
    report: event => sink.report(event),
  });
  return outcome.result();
}

/** Returns the result of a run that cannot resume: its own end, or, when its process ended before, interrupted. */
export async function settledChild(state: RunState, put: (event: AgentEvent) => Promise<void>): Promise<RunResult> {
  const { runId, agentId = 'unknown' } = state;
  const outcome = new ResultFold(runId, state);
  if (state.endedBy !== undefined) return outcome.result();
  await endOpenRuns(state, put);
  outcome.take({ type: 'harness_end', runId, agentId, reason: 'interrupted' });
  return outcome.result();
}

/** Ends a run, after the open runs below it. */
export async function endOpenRuns(
  { runId, agentId = 'unknown', children }: Pick<RunState, 'runId' | 'agentId' | 'children'>,
  put: (event: AgentEvent) => Promise<void>,
  reason: RunResult['reason'] = 'interrupted',
): Promise<void> {
  for (const child of [...children.values()].flat())
    if (child.endedBy === undefined) await endOpenRuns(child, put, reason);
  await put({ type: 'harness_end', runId, agentId, reason });
}

import type { AgentEvent, EventOf } from '../../events/index.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { Agent, InvokeParams } from '../agent.ts';
import { type EventSink, forwardEvents } from '../loop/event-channel.ts';

/** The result of a run that another run started. */
export interface ChildResult {
  readonly runId: string;
  readonly reason: NonNullable<EventOf<'harness_end'>['reason']>;
  /** Its last text: the text after its last tool call or execution. */
  readonly text: string;
  /** The reason it failed, if it did. */
  readonly error?: string;
}

/**
 * Runs an agent as a part of another run: forwards each of its events, and the sink holds it back until the event was
 * handled. Resolves with the result.
 */
export async function runChild(agent: Agent, params: InvokeParams, sink: EventSink): Promise<ChildResult> {
  const outcome = new ChildOutcome(params.runId);
  for (const event of params.resume?.events ?? []) outcome.take(event);
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
export async function settledChild(state: RunState, put: (event: AgentEvent) => Promise<void>): Promise<ChildResult> {
  const { runId, agentId = 'unknown' } = state;
  const outcome = new ChildOutcome(runId);
  for (const event of state.events) outcome.take(event);
  if (state.endedBy !== undefined) return outcome.result();
  await endOpenRuns(state, put);
  outcome.take({ type: 'harness_end', runId, agentId, reason: 'interrupted' });
  return outcome.result();
}

/** Ends a run, after the open runs below it. */
export async function endOpenRuns(
  { runId, agentId = 'unknown', children }: Pick<RunState, 'runId' | 'agentId' | 'children'>,
  put: (event: AgentEvent) => Promise<void>,
  reason: ChildResult['reason'] = 'interrupted',
): Promise<void> {
  for (const child of [...children.values()].flat())
    if (child.endedBy === undefined) await endOpenRuns(child, put, reason);
  await put({ type: 'harness_end', runId, agentId, reason });
}

/** Text before one of these events is not the answer. */
const begins: ReadonlySet<AgentEvent['type']> = new Set(['step_start', 'tool_result', 'repl_output']);

const failures: ReadonlySet<ChildResult['reason']> = new Set(['error', 'limit_reached', 'timeout', 'interrupted']);

/** Collects the result of a run from its events; ignores events of other runs. */
export class ChildOutcome {
  readonly #runId: string;
  #text = '';
  #error: string | undefined;
  #reason: ChildResult['reason'] = 'aborted';

  constructor(runId: string) {
    this.#runId = runId;
  }

  take(event: AgentEvent): void {
    if (event.runId !== this.#runId) return;
    if (event.type === 'text') this.#text += event.content;
    else if (begins.has(event.type)) this.#text = '';
    else if (event.type === 'error') this.#error = event.message;
    else if (event.type === 'harness_end') this.#reason = event.reason ?? 'complete';
  }

  result(): ChildResult {
    const failed = failures.has(this.#reason);
    return {
      runId: this.#runId,
      reason: this.#reason,
      text: this.#text,
      ...(failed && { error: this.#error ?? `The run ended: ${this.#reason}.` }),
    };
  }
}

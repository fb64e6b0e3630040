import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import type { RunState } from '../../projections/run-state.ts';
import { lateResult } from '../../events/order.ts';

type EndReason = NonNullable<EventOf<'harness_end'>['reason']>;

const aborted = 'The call was aborted: the run was stopped before it had a result.';
const unknown =
  'The outcome of this call is unknown: the run ended while it was open. Check what it did before repeating it.';

/** The calls of a run and its child runs that have no result, to close them when a run ends early. */
export class LostCalls {
  readonly #open = new Map<string, EventOf<'tool_call'>>();

  /** Starts with the logged events of a run. */
  constructor(state?: RunState) {
    if (state !== undefined) for (const event of listEvents(state)) this.take(event);
  }

  take(event: AgentEvent): void {
    if (event.type === 'tool_call') this.#open.set(event.id, event);
    else if (event.type === 'tool_result') this.#open.delete(event.id);
  }

  /** Returns the results of the open calls of a run that ends for a reason; none when it ended normally. */
  close(runId: string, reason: EndReason): AgentEvent[] {
    if (reason === 'complete') return [];
    const error = reason === 'aborted' || reason === 'timeout' ? aborted : unknown;
    const open = [...this.#open.values()].filter(call => call.runId === runId);
    for (const { id } of open) this.#open.delete(id);
    return open.map(({ id, name }) => ({ type: 'tool_result', runId, id, name, output: { error } }));
  }
}

/** The events of a run and its child runs, in log order. */
export function listEvents({ events, children }: RunState): readonly AgentEvent[] {
  if (children.size === 0) return events;
  const all = [...events, ...[...children.values()].flat().flatMap(listEvents)];
  return all.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}

/** Returns warnings for calls that finished in a process after it lost their run; their results are not used. */
export function lateResults(unwritten: readonly AgentEvent[]): AgentEvent[] {
  return unwritten.flatMap(event => {
    if (event.type !== 'tool_result') return [];
    const { runId, id: toolCallId, name, output } = event;
    const message = `The tool "${name}" finished in a process that had lost the run: its result was not used.`;
    return [{ type: 'warning', runId, code: lateResult, message, toolCallId, output }];
  });
}

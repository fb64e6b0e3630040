import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import type { RunState } from '../../projections/run-state.ts';

/** The result of a run. */
export interface RunResult<Output = unknown> {
  readonly runId: string;
  readonly reason: NonNullable<EventOf<'harness_end'>['reason']>;
  /** Its last text: the text after its last tool call or execution. */
  readonly text: string;
  /** The value that matches the output schema of its agent, or that was given to `FINAL()`; absent without one. */
  readonly output?: Output;
  /** The tokens and the cost of the run and its subagents. */
  readonly usage: UsageCounts;
  /** Why it failed, if it did: its last `error` event, or the reason it ended. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Text before one of these events is not the answer. */
const begins: ReadonlySet<AgentEvent['type']> = new Set(['step_start', 'tool_result', 'repl_output']);

const failures: ReadonlySet<RunResult['reason']> = new Set(['error', 'limit_reached', 'timeout', 'interrupted']);

/** Collects the result of a run from its events and those of its subagents. */
export class ResultFold {
  readonly #runId: string;
  #text = '';
  #output: unknown;
  #usage = noUsage;
  #error: RunResult['error'];
  #reason: RunResult['reason'] = 'aborted';

  /** Starts with the state of `resumed`, which includes the earlier output of the run. */
  constructor(runId: string, resumed?: RunState) {
    this.#runId = runId;
    if (resumed !== undefined) this.#takeState(resumed);
  }

  take(event: AgentEvent): void {
    if (event.type === 'usage') this.#usage = addUsage(this.#usage, event);
    if (event.runId !== this.#runId) return;
    if (event.type === 'text') this.#text += event.content;
    else if (begins.has(event.type)) this.#text = '';
    else if (event.type === 'error') this.#error = { code: event.code ?? 'agent_failed', message: event.message };
    else if (event.type === 'harness_end') {
      this.#reason = event.reason ?? 'complete';
      this.#output = event.output;
    }
  }

  /** The result so far; `reason` is why the run ended, when its stream does not have the end. */
  result(reason: RunResult['reason'] = this.#reason): RunResult {
    return {
      runId: this.#runId,
      reason,
      text: this.#text,
      ...(this.#output !== undefined && { output: this.#output }),
      usage: this.#usage,
      ...(failures.has(reason) && { error: this.#error ?? { code: reason, message: `The run ended: ${reason}.` } }),
    };
  }

  #takeState({ events, children }: RunState): void {
    for (const event of events) this.take(event);
    for (const child of [...children.values()].flat()) this.#takeState(child);
  }
}

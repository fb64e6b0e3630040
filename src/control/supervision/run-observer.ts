import type { RunResult } from '../../agents/run-result.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { deriveRunContext, formatTraceparent, type RunTrace } from '../../events/trace-context.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import type { FinishedRun, RunFollower } from './run-control.ts';

export type RunOutcome = RunResult['reason'];

/** More different codes count as `other`: external programs choose their own. */
const mostCodes = 100;

/** What the runs of a process came to since it started. */
export class RunCounts {
  readonly outcomes = new Map<RunOutcome, number>();
  readonly errors = new Map<string, number>();
  events = 0;
  usage: UsageCounts = noUsage;

  /** Counts an event that a run emitted. */
  take(event: AgentEvent): void {
    this.events++;
    if (event.type === 'usage') this.usage = addUsage(this.usage, event);
    if (event.type === 'error') this.addError(event.code ?? 'unknown');
  }

  addError(code: string): void {
    addTo(this.errors, this.errors.has(code) || this.errors.size < mostCodes ? code : 'other');
  }

  end(outcome: RunOutcome): void {
    addTo(this.outcomes, outcome);
  }
}

function addTo<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Receives each run that has ended. */
export type OnFinish = (run: FinishedRun) => Promise<void> | void;

interface EndedRun {
  readonly threadId: string;
  finished(): Promise<FinishedRun>;
}

interface ObserverOptions {
  readonly telemetry: RunFollower | undefined;
  readonly onDiagnostic: OnDiagnostic | undefined;
  readonly onFinish: OnFinish | undefined;
}

/** What observes the runs of a supervisor: counts, the export of their spans, and the receiver of failures. */
export class RunObserver {
  readonly counts: RunCounts = new RunCounts();
  readonly telemetry: RunFollower | undefined;
  readonly #onDiagnostic: OnDiagnostic | undefined;
  readonly #onFinish: OnFinish | undefined;

  constructor({ telemetry, onDiagnostic, onFinish }: ObserverOptions) {
    this.telemetry = telemetry;
    this.#onDiagnostic = onDiagnostic;
    this.#onFinish = onFinish;
  }

  /** Counts a run that has ended and passes it on; resolves when the receiver has handled it, whether or not it failed. */
  async finish(outcome: RunOutcome, run: EndedRun): Promise<void> {
    this.counts.end(outcome);
    try {
      await this.#onFinish?.(await run.finished());
    } catch (cause) {
      this.diagnose('on_finish_failed', run.threadId)(cause);
    }
  }

  /** Returns a handler that counts and reports a failure in a thread which nobody waits for. */
  diagnose(code: string, threadId: string): (cause: unknown) => void {
    return cause => {
      this.counts.addError(code);
      this.#onDiagnostic?.({ code, threadId, cause });
    };
  }

  /** Returns the `traceparent` for what a run calls; undefined when neither spans are exported nor the caller named a trace. */
  traceparent(runId: string, trace: RunTrace | undefined): string | undefined {
    if (this.telemetry === undefined && trace === undefined) return undefined;
    return formatTraceparent(deriveRunContext(runId, trace), trace?.sampled !== false);
  }
}

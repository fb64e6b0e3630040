import { deriveRunContext, formatTraceparent, type RunTrace } from '../../events/trace-context.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import type { FinishedRun, RunFollower } from './run-control.ts';
import { RunCounts, type RunOutcome } from './run-counts.ts';

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

/** Observes the runs of a supervisor: counts them, exports their spans and reports failures. */
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

  /** Returns a handler that counts and reports a failure in a thread that no caller awaits. */
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

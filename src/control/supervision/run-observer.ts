import { deriveRunContext, formatTraceparent, type RunTrace } from '../../events/trace-context.ts';
import type { OnDiagnostic } from '../diagnostics.ts';
import type { RunFollower } from './run-control.ts';
import { RunCounts } from './run-counts.ts';

/** What observes the runs of a supervisor: counts, the export of their spans, and the receiver of failures. */
export class RunObserver {
  readonly counts: RunCounts = new RunCounts();
  readonly telemetry: RunFollower | undefined;
  readonly #onDiagnostic: OnDiagnostic | undefined;

  constructor(telemetry: RunFollower | undefined, onDiagnostic: OnDiagnostic | undefined) {
    this.telemetry = telemetry;
    this.#onDiagnostic = onDiagnostic;
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

/** The attempt at a step that a run made last. */
export interface StepAttempt {
  /** The number of the step; absent when the run reports no steps. */
  readonly step?: number | undefined;
  /** Whether its model call ended: its `usage` is in the log. */
  readonly isComplete: boolean;
}

/** Whether a `step_start` of this number replaces the attempt before it; one that was completed is never replaced. */
export function replacesAttempt(before: StepAttempt | undefined, step: number): boolean {
  return before !== undefined && before.step === step && !before.isComplete;
}

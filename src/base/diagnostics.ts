/** A failure in background work that no caller awaits; the work is retried later or no longer needed. */
export interface Diagnostic {
  /** The stable code of the failure, for counting. */
  readonly code: string;
  /** The thread it concerns. */
  readonly threadId?: string;
  readonly cause: unknown;
}

/** Receives diagnostics; it must not throw. */
export type OnDiagnostic = (diagnostic: Diagnostic) => void;

/** Ignores a diagnostic; the default when no handler is set. */
export const ignoreDiagnostic: OnDiagnostic = () => {};

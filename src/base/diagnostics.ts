/** A failure that no caller waits for: what failed is tried again later, or does not matter any more. */
export interface Diagnostic {
  /** What failed: stable, so that it can be counted. */
  readonly code: string;
  /** The thread it concerns. */
  readonly threadId?: string;
  readonly cause: unknown;
}

/** Receives diagnostics; it must not throw. */
export type OnDiagnostic = (diagnostic: Diagnostic) => void;

/** Ignores a diagnostic: the default of a library that nobody listens to. */
export const ignoreDiagnostic: OnDiagnostic = () => {};

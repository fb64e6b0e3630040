import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { UsedTokens } from '../../contract/host.ts';

export interface TranslatorOptions {
  /** The run the events belong to. */
  readonly runId: string;
  /** The session that the program is started with: one to resume, or the name of a new one. */
  readonly sessionId?: string | undefined;
  /** The earlier usage of the resumed session, for programs that count per session instead of per run. */
  readonly usedBefore?: UsedTokens | undefined;
}

/** The failure of a run, as reported by the program's output. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly reason?: 'error' | 'max_iterations';
}

/**
 * Translates the output of one external program to events. Pure: no clock, no randomness, no files. Never throws; every
 * line contributes to an event, is consumed by a documented rule, or becomes `unknown`.
 */
export interface Translator {
  /**
   * Returns the events of the next line of stdout, without its line ending; `number` is its index in the raw record.
   */
  translate(line: string, number?: number): AgentEvent[];
  /** Returns the final events at the end of the stream: subagents end, and a last failure becomes a fatal error. */
  flush(): AgentEvent[];
  /** The failure of the run so far, if any. */
  readonly failure: Failure | undefined;
  /** Whether the program reported its end; more output may follow. */
  readonly finished: boolean;
  /** Whether an interactive channel produced the output: a denied call is then a decision, not a failure. */
  readonly isInteractive?: boolean;
}

import type { AgentEvent } from '../../../events/index.ts';
import type { UsedTokens } from '../../agent.ts';

export interface TranslatorOptions {
  /** The run the events belong to. */
  readonly runId: string;
  /** What the session that it goes on in had used before, for programs that count a session and not a run. */
  readonly usedBefore?: UsedTokens | undefined;
}

/** How a run failed, told by the program's own output. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly reason?: 'error' | 'max_iterations';
}

/**
 * Turns what one external program prints into events. Pure: no clock, no randomness, no files. It never throws, and
 * every line contributes to an event, is consumed by a documented rule, or becomes `unknown`.
 */
export interface Translator {
  /** The events of the next line of stdout, without its line ending; `number` is its place in the raw record. */
  translate(line: string, number?: number): AgentEvent[];
  /** What is still open at the end of the stream: subagents end, and a failure that was the end becomes a fatal error. */
  flush(): AgentEvent[];
  /** How the run failed so far; undefined while it has not. */
  readonly failure: Failure | undefined;
  /** Whether the program said that it is done; more may still follow. */
  readonly finished: boolean;
}

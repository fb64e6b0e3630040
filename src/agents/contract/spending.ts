import type { UsageCounts } from '../../events/usage-sum.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { Answers } from './host.ts';

/** Counts the spending of a run and its subagents, and reports when a limit is reached. */
export interface Spending {
  readonly totals: SpentTotals | undefined;
  /** Counts an event of the run or of a run below it. */
  count(event: AgentEvent): void;
  /**
   * Returns a description of the reached limit; undefined when a model may be called. With an asker, a limit that asks
   * waits for the answer of a user or the abort of the asker.
   */
  reached(asker?: LimitAsker): Promise<string | undefined>;
}

/** The requests to spend beyond limits and their approvals. */
export interface Allowances {
  /** Applies the next event of a thread. */
  take(event: AgentEvent, threadId?: string): void;
  /** Returns the approved amount; 0 without an approval. */
  upTo(limit: AskedLimit): number;
  /** Returns the id of the relay that asks for more in a thread and has no answer. */
  findPending(limit: AskedLimit, threadId?: string): string | undefined;
}

/** The totals that the log records for the thread and the day; provided by the supervisor. */
export interface SpentTotals {
  readonly threadId: string;
  /** In the thread of the run, the run included. */
  thread(): Promise<UsageCounts>;
  /** In all threads since the day began. */
  day(): Promise<UsageCounts>;
  /** The day it is, in UTC. */
  today(): string;
  /** The approvals in the events that the last total counted. */
  readonly allowances: Allowances;
}

/** The means of a run to ask a user before a model call whether it may spend more. */
export interface LimitAsker {
  /** The run that asks. */
  readonly runId: string;
  /** The source of answers; without it no user is asked. */
  readonly answers: Answers | undefined;
  readonly signal: AbortSignal;
  /** Stores the relay. */
  readonly put: (relay: AgentEvent) => Promise<void>;
}

/** A limit that asks. */
export interface AskedLimit {
  readonly scope: 'run' | 'thread' | 'day';
  readonly measure: 'tokens' | 'cost';
  /** The id of the run or thread, or the day. */
  readonly of: string;
  /** How much may be spent before a user is asked, and how much each approval adds. */
  readonly limit: number;
}

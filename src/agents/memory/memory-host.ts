import type { EventOf } from '../../events/vocabulary.ts';
import type { InputSpan } from '../../projections/model-input/input-span.ts';
import type { Agent } from '../agent.ts';
import type { Spending } from '../limits/spending.ts';

/** A summary as the log has it. */
export type SummaryEvent = EventOf<'summary'>;

/** The work of an observer or a reflector. */
export interface MemoryJob {
  /** Makes one buffered summary. */
  readonly agent: Agent;
  /** The span that the summary covers: it is not made twice. */
  readonly covers: SummaryEvent['covers'];
  readonly kind: 'observation' | 'reflection';
  /** The limits of the run that it serves apply to it, too. */
  readonly spending?: Spending | undefined;
}

/** Returns the summaries that were buffered and cover what begins with a span, oldest first. */
export type BufferedSummaries = (from: string) => readonly SummaryEvent[];

/** The observations in effect of another thread. */
export interface ThreadObservations {
  readonly threadId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Oldest first. */
  readonly observations: readonly SummaryEvent[];
}

/** What the memory of a run needs of the thread: implemented by the supervisor, which is what invokes agents. */
export interface MemoryHost {
  /** What the messages of the run are made of. */
  spans(): readonly InputSpan[];
  /** Returns the buffered summaries of the thread as it is now, whichever process made them. */
  buffered(): Promise<BufferedSummaries>;
  /**
   * Returns the observations of other threads of the same resource as they were when the message was sent that the run
   * answers; of the threads that changed last, the newest first.
   */
  others(): Promise<readonly ThreadObservations[]>;
  /**
   * Runs a job apart from the run that it serves. At most one job of a thread runs at a time, in any process: when
   * another one is under way, it ends with that one, without running this one.
   */
  run(job: MemoryJob): MemoryRun;
}

/** A job that was handed to the host. Its promises never reject. */
export interface MemoryRun {
  /** Resolves when the first event of its run is in the log, or it does not run for now. */
  readonly started: Promise<void>;
  /** Resolves when it has ended, with whether it ran. */
  readonly ended: Promise<boolean>;
}

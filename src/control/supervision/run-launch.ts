import type { Agent } from '../../agents/contract/agent.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RunAdditions } from '../../events/run-additions.ts';
import type { OpenRun } from './open-runs.ts';
import type { EndNote, StartOptions } from './run-control.ts';

/** A run to start. */
export interface NewRun {
  readonly agent: Agent;
  readonly parentId: string;
  readonly model: string | undefined;
  /** What the caller passed for its tools. */
  readonly context: unknown;
  readonly note?: EndNote | undefined;
  readonly metadata?: StartOptions['metadata'] | undefined;
  /** Whether its message was sent with a request context that this process does not have. */
  readonly lacksContext?: boolean;
  /** The trace that the caller named. */
  readonly trace?: StartOptions['trace'] | undefined;
  readonly additions?: RunAdditions | undefined;
}

/** A run to start or resume. */
export interface RunLaunch {
  readonly threadId: string;
  readonly open: OpenRun;
  readonly agent: Agent | undefined;
  readonly note: EndNote | undefined;
  readonly isNew: boolean;
  readonly context?: NewRun['context'];
  readonly lacksContext?: NewRun['lacksContext'];
  readonly trace?: NewRun['trace'];
  readonly additions?: NewRun['additions'];
}

/** Thrown when a run that is to be launched has ended. */
export const finished: Error = new Error('The run is over.');

/** Rethrows every error except `finished`. */
export function ignoreFinished(error: unknown): undefined {
  if (error !== finished) throw error;
}

/** The error for an id that the generator of the caller returned twice. */
export function usedRunId(threadId: string, runId: string): SingletreeError {
  return new SingletreeError(
    'invalid_argument',
    `The run id "${runId}" was already used. Make sure that the id generator returns unique ids.`,
    { details: { threadId, runId } },
  );
}

import type { OpenCall, OpenRun, OpenRelay, OpenRuns } from './open.ts';
import type { RelayBook } from '../../projections/relay-book.ts';
import type { Fact, PlanStatus } from './fact.ts';
import type { TotalsSum } from './totals.ts';

/** The mutable state of a request: open runs and relays, totals, and the sink for facts. */
export interface RequestState {
  readonly runs: OpenRuns;
  /** The state of the relays before the current event. */
  book: RelayBook;
  /** Those of this request that are shown as open. */
  readonly relays: Map<string, OpenRelay>;
  /** Plans that are neither drafts nor done. */
  readonly plans: Map<string, PlanStatus>;
  readonly totals: TotalsSum;
  /** The time of the current event, in milliseconds since 1970. */
  at: number | undefined;
  readonly emit: (fact: Fact) => void;
}

/** Whether a request works or only waits for people; `uncertain` while a call has not started that may still be asked about. */
export type RequestStanding = 'working' | 'waiting' | 'uncertain';

/** Returns whether every open run of a request waits for a person, or for a run that does. */
export function findStanding({ runs, relays }: RequestState): RequestStanding {
  if (relays.size === 0) return 'working';
  let standing: RequestStanding = 'waiting';
  const causes = new Set<OpenRun | OpenCall>();
  for (const run of runs.youngestFirst()) {
    let isIdle = !causes.has(run) && run.relays.size === 0;
    for (const call of run.calls) {
      if (call.relays.size === 0 && !causes.has(call)) {
        if (call.started) return 'working';
        standing = 'uncertain';
      }
      isIdle = false;
    }
    if (isIdle || run.isWriting || (run.inputs.size > 0 && !run.isComplete)) return 'working';
    const cause = run.cause ?? run.parent;
    if (cause !== undefined) causes.add(cause);
  }
  return standing;
}

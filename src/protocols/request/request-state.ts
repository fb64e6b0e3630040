import type { RelayBook } from '../../projections/relay-book.ts';
import type { Fact, PlanStatus } from './fact.ts';
import type { OpenRelay } from './open.ts';
import type { OpenRuns } from './open-runs.ts';
import type { TotalsSum } from './totals.ts';

/** What a request has open, what it used, and where its facts go. */
export interface RequestState {
  readonly runs: OpenRuns;
  /** Where the relays stand before the event that is taken in. */
  book: RelayBook;
  /** Those of this request that are shown as open. */
  readonly relays: Map<string, OpenRelay>;
  /** Plans that are neither drafts nor done. */
  readonly plans: Map<string, PlanStatus>;
  readonly totals: TotalsSum;
  /** The time of the event that is taken in, in milliseconds since 1970. */
  at: number | undefined;
  readonly emit: (fact: Fact) => void;
}

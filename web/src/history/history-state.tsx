import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import type { HistoryStatus } from './history-protocol.ts';

/** Shown instead of a view while its thread is loading, is empty or cannot be read; renders nothing otherwise. */
export function HistoryState({ status, isEmpty, empty }: { status: HistoryStatus; isEmpty: boolean; empty: string }) {
  if (status.problem !== undefined) return <ViewProblem problem={status.problem} />;
  if (!isEmpty) return null;
  return <ViewState title={status.isComplete ? empty : 'Loading…'} />;
}

/** The line above a view that is being read or lost its connection; absent until there is something to show. */
export function HistoryNotice({ status: { seq, isComplete, isConnected } }: { status: HistoryStatus }) {
  if (isComplete ? isConnected : seq === 0) return null;
  return (
    <p className="history-notice" role="status">
      {isComplete ? 'Connection lost. Trying again…' : `Reading… ${seq.toLocaleString('en')} events`}
    </p>
  );
}

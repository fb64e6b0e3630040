import { lossText } from '../parts/loss-text.ts';
import { Skeleton } from '../parts/view-state.tsx';
import { useIsOnline } from '../parts/use-is-online.ts';
import type { ThreadListView } from './thread-list.ts';

/** The state of the list, when it is empty or may be out of date. */
export function ListNotice({ view, onRetry }: { view: ThreadListView; onRetry: () => void }) {
  const { state, threads, problem, lostBy } = view;
  const isOnline = useIsOnline();
  if (state === 'loading' && threads.length === 0) return <Skeleton label="Loading the conversations" />;
  if (state === 'lost')
    return (
      <p className="list-notice">
        <span className="dot" data-tone="unsure" />
        {lossText(isOnline, lostBy)}
      </p>
    );
  if (state === 'failed')
    return (
      <div className="list-notice" role="alert">
        <p>{problem ?? 'The list cannot be loaded.'}</p>
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      </div>
    );
  if (state === 'live' && threads.length === 0)
    return <p className="list-notice">No conversations yet. The first one appears here.</p>;
  return null;
}

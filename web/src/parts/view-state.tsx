import type { ReactNode } from 'react';

/** A view that has nothing to show: it loads, it is empty, or it failed. */
export function ViewState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="view-state" role="status">
      <p>{title}</p>
      {children}
    </div>
  );
}

/** A view that could not be loaded, with its reason. */
export function ViewProblem({ problem, onRetry }: { problem: string; onRetry?: () => void }) {
  return (
    <div className="view-state" role="alert" data-level="error">
      <p>{problem}</p>
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A placeholder for rows while they load. */
export function Skeleton({ label }: { readonly label: string }) {
  return (
    <div className="skeleton" role="progressbar" aria-label={label}>
      <span />
      <span />
      <span />
    </div>
  );
}

import type { Projects } from './use-projects.ts';

/** The line about a project whose configuration is not trusted; nothing when it is. */
export function TrustNote({ projects }: { projects: Projects | undefined }) {
  const current = projects?.current;
  if (current?.trust === undefined) return null;
  return (
    <p className="trust-note" role="note">
      The configuration of <strong>{current.name}</strong> is not trusted, so it has no effect.{' '}
      <button type="button" className="quiet-button" onClick={() => projects?.ask(current)}>
        Read what it does
      </button>
    </p>
  );
}

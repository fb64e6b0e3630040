import type { ReactNode } from 'react';
import type { ThreadSnapshot } from '../../../src/client/thread-store.ts';
import { errorText } from '../../../src/base/error-text.ts';
import { SingletreeError } from '../../../src/base/singletree-error.ts';

/** Shown instead of the messages while there are none: loading, empty, unknown, signed out or failed. */
export function ThreadState({ thread }: { thread: ThreadSnapshot | undefined }) {
  if (thread?.error !== undefined) return <Refused error={thread.error} />;
  if (thread === undefined || thread.isLoading)
    return (
      <div className="thread-state" aria-busy="true">
        <p className="placeholder" />
        <p className="placeholder" />
        <p className="placeholder" />
        <p className="unseen">Loading the conversation…</p>
      </div>
    );
  if (thread.seq > 0) return null;
  return (
    <State title="No messages yet">
      <p>Write the first one below.</p>
    </State>
  );
}

function Refused({ error }: { error: unknown }) {
  const status = SingletreeError.is(error) ? error.status : 500;
  if (status === 401 || status === 403)
    return (
      <State title="You are signed out">
        <p>Sign in again to read this conversation. Nothing is lost: runs continue on the server.</p>
        <button
          type="button"
          className="button primary"
          onClick={() => location.assign(`/login?next=${encodeURIComponent(location.pathname)}`)}
        >
          Sign in
        </button>
      </State>
    );
  if (status === 404)
    return (
      <State title="Conversation not found">
        <p>It was deleted, or the address is wrong.</p>
        <a className="button" href="/">
          Start a new one
        </a>
      </State>
    );
  return (
    <State title="The conversation cannot be shown">
      <p className="notice" data-level="error">
        {errorText(error)}
      </p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Try again
      </button>
    </State>
  );
}

function State({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="thread-state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

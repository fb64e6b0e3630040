import type { ThreadInfo } from '../../../src/protocols/index.ts';
import { Logo, PlusIcon, TrashIcon } from '../parts/icons.tsx';
import { timeAgo } from '../parts/wording.ts';

interface SidebarProps {
  readonly threads: readonly ThreadInfo[];
  readonly current: string | undefined;
  readonly onOpen: (threadId: string | undefined) => void;
  readonly onRemove: (threadId: string) => Promise<void>;
}

/** The list of conversations. */
export function Sidebar({ threads, current, onOpen, onRemove }: SidebarProps) {
  return (
    <nav className="sidebar" aria-label="Conversations">
      <div className="brand">
        <Logo />
        Singletree
      </div>
      <button type="button" className="button new-thread" onClick={() => onOpen(undefined)}>
        <PlusIcon />
        New conversation
      </button>
      <ul className="thread-list">
        {threads.map(thread => (
          <ThreadRow
            key={thread.id}
            thread={thread}
            current={thread.id === current}
            onOpen={() => onOpen(thread.id)}
            onRemove={() => void onRemove(thread.id)}
          />
        ))}
      </ul>
    </nav>
  );
}

interface ThreadRowProps {
  readonly thread: ThreadInfo;
  readonly current: boolean;
  readonly onOpen: () => void;
  readonly onRemove: () => void;
}

function ThreadRow({ thread, current, onOpen, onRemove }: ThreadRowProps) {
  const title = thread.title ?? 'Untitled';
  const running = thread.runs.length > 0;
  return (
    <li className="thread-row">
      <button type="button" className="thread-link" aria-current={current ? 'page' : undefined} onClick={onOpen}>
        <span className="thread-title">{title}</span>
        <span className="thread-time">
          {running && <span className="dot" data-tone="busy" />}
          {running ? 'Working…' : timeAgo(thread.updatedAt, Date.now())}
        </span>
      </button>
      <button
        type="button"
        className="icon-button thread-remove"
        aria-label={`Delete “${title}”`}
        onClick={() => {
          if (confirm(`Delete “${title}”? Its whole log is removed.`)) onRemove();
        }}
      >
        <TrashIcon />
      </button>
    </li>
  );
}

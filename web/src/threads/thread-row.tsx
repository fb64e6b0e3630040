import { memo } from 'react';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { writeAddress } from '../app/address.ts';
import { MoreIcon, PinIcon } from '../parts/icons.tsx';
import { dollars, timeAgo, type Tone } from '../../../src/projections/presentation/wording.ts';
import { getTitle } from './use-threads.ts';

interface ThreadRowProps {
  readonly thread: ThreadInfo;
  /** The name of its last agent. */
  readonly agent: string | undefined;
  readonly isCurrent: boolean;
  readonly isUnread: boolean;
  /** The time that ages refer to. */
  readonly now: number;
  readonly onOpen: (threadId: string) => void;
  readonly onMenu: (thread: ThreadInfo, anchor: HTMLElement) => void;
}

/** A thread in the list: its title, state, agent, cost and age. */
export const ThreadRow = memo(function ThreadRow({
  thread,
  agent,
  isCurrent,
  isUnread,
  now,
  onOpen,
  onMenu,
}: ThreadRowProps) {
  const title = getTitle(thread);
  const { label, tone } = standing(thread, isUnread);
  const facts = [
    label,
    agent,
    thread.cost === undefined ? undefined : dollars(thread.cost),
    thread.status === 'running' ? undefined : timeAgo(thread.updatedAt, now),
  ].filter(fact => fact !== undefined);
  return (
    <div className="thread-row" data-unread={isUnread}>
      <a
        className="thread-link"
        href={writeAddress({ section: 'thread', threadId: thread.id })}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={event => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(thread.id);
        }}
      >
        <span className="thread-title">
          {tone !== undefined && <span className="dot" data-tone={tone} />}
          <bdi>{title}</bdi>
          {thread.isPinned === true && <PinIcon />}
        </span>
        <span className="thread-facts">{facts.join(' · ')}</span>
      </a>
      <button
        type="button"
        className="icon-button thread-more"
        aria-label={`Actions of “${title}”`}
        aria-haspopup="menu"
        onClick={event => onMenu(thread, event.currentTarget)}
      >
        <MoreIcon />
      </button>
    </div>
  );
});

/** The word and the look of a status; none where there is nothing to say. */
function standing(
  { status, waiting = [], outcome, isArchived }: ThreadInfo,
  isUnread: boolean,
): { readonly label?: string; readonly tone?: Tone } {
  // The heading says that it waits.
  if (status === 'waiting') return { ...(waiting.length > 1 && { label: `${waiting.length} questions` }), tone: 'ask' };
  if (status === 'interrupted') return { label: 'Interrupted', tone: 'bad' };
  if (status === 'queued') return { label: 'Messages wait', tone: 'ask' };
  if (status === 'running') return { label: 'Working…', tone: 'busy' };
  if (status === 'failed') return { label: failures[outcome ?? ''] ?? 'Failed', tone: 'bad' };
  if (isUnread) return { label: 'Done', tone: 'good' };
  return isArchived === true ? { label: 'Archived' } : {};
}

const failures: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  limit_reached: 'Limit reached',
  max_iterations: 'Limit reached',
  interrupted: 'Interrupted',
};

import { useCallback, useEffect, useMemo } from 'react';
import { VList } from 'virtua';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { useGrouping } from '../projects/use-grouping.ts';
import { getAgentName } from '../parts/agent-name.ts';
import { useWhilePressed } from '../parts/use-while-pressed.ts';
import { groupThreads, type ListRow } from './group-threads.ts';
import { isUnread } from './seen-threads.ts';
import type { ThreadListView } from './thread-list.ts';
import { ThreadRow } from './thread-row.tsx';

/** As long as there are fewer rows than fill a window, more are loaded. */
const fewRows = 40;

interface ThreadRowsProps {
  readonly view: ThreadListView;
  readonly agents: readonly AgentInfo[];
  /** The thread that is open. */
  readonly current: string | undefined;
  readonly showArchived: boolean;
  /** The time that ages refer to. */
  readonly now: number;
  readonly loadMore: () => Promise<void>;
  readonly onOpen: (threadId: string) => void;
  readonly onMenu: (thread: ThreadInfo, anchor: HTMLElement) => void;
}

/** The threads in their groups, of which only those in view are in the document; the next page is loaded on the way. */
export function ThreadRows({ view, agents, current, showArchived, now, loadMore, onOpen, onMenu }: ThreadRowsProps) {
  const groupBy = useGrouping();
  const { shown, onPointerDown } = useWhilePressed(view);
  const { threads, hasMore } = shown;
  const rows = useMemo(
    () => groupThreads(threads, { now, showArchived, by: groupBy }),
    [threads, now, showArchived, groupBy],
  );
  const needsMore = hasMore && rows.length < fewRows;
  useEffect(() => {
    if (needsMore) void loadMore();
  }, [needsMore, loadMore, threads]);
  const onScroll = useCallback(() => {
    if (hasMore) void loadMore();
  }, [hasMore, loadMore]);
  return (
    <VList className="thread-list" data={rows} onScroll={onScroll} onPointerDown={onPointerDown}>
      {row =>
        row.kind === 'heading' ? (
          <Heading key={`# ${row.folder ?? row.label}`} row={row} />
        ) : (
          <ThreadRow
            key={row.thread.id}
            thread={row.thread}
            agent={getAgentName(agents, row.thread)}
            isCurrent={row.thread.id === current}
            isUnread={row.thread.id !== current && isUnread(row.thread)}
            now={now}
            onOpen={onOpen}
            onMenu={onMenu}
          />
        )
      }
    </VList>
  );
}

function Heading({ row: { label, count, folder } }: { row: ListRow & { kind: 'heading' } }) {
  return (
    <h2 className="thread-heading" data-tone={count === undefined ? undefined : 'ask'} title={folder}>
      {label}
      {count !== undefined && ` (${count})`}
    </h2>
  );
}

import '../styles/views.css';
import '../styles/compare.css';
import { useCallback, useEffect, useState } from 'react';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import type { HistoryStatus } from '../history/history-protocol.ts';
import type { ThreadSummary } from '../history/thread-summary.ts';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { CompareStart } from './compare-start.tsx';
import { CompareTable } from './compare-table.tsx';

type CompareViewProps = Pick<PageProps, 'client' | 'agents' | 'onMenu'> & {
  readonly threads: readonly string[];
  readonly open: (address: Address) => void;
};

/** At most this many threads are beside each other. */
const most = 6;
const mostRequest = 600;

/** Threads side by side, live; or a form that starts some. */
export function CompareView({ client, agents, onMenu, threads, open }: CompareViewProps) {
  const [known, setKnown] = useState<Readonly<Record<string, Read>>>({});
  const onRead = useCallback(
    (threadId: string, read: Read) => setKnown(before => ({ ...before, [threadId]: read })),
    [],
  );
  const shown = [...new Set(threads)].slice(0, most);
  const request = Object.values(known).find(({ summary }) => summary?.request)?.summary?.request;
  return (
    <main className="main">
      <TopBar title="Compare" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column compare">
          {shown.length === 0 ? (
            <CompareStart
              client={client}
              agents={agents}
              onStarted={ids => open({ section: 'compare', threads: ids })}
            />
          ) : (
            <>
              {shown.map(threadId => (
                <Reader key={threadId} threadId={threadId} onRead={onRead} />
              ))}
              {request !== undefined && <p className="compare-request">{request.slice(0, mostRequest)}</p>}
              <CompareTable
                columns={shown.map(threadId => ({
                  threadId,
                  summary: known[threadId]?.summary,
                  problem: known[threadId]?.problem,
                }))}
                open={open}
              />
            </>
          )}
        </div>
      </div>
    </main>
  );
}

interface Read extends Pick<HistoryStatus, 'seq'> {
  readonly summary: ThreadSummary | undefined;
  readonly problem: string | undefined;
}

/** Reads one thread; shows nothing itself. */
function Reader({ threadId, onRead }: { threadId: string; onRead: (threadId: string, read: Read) => void }) {
  const state = useHistory(threadId);
  const summary = useAnswer(state, 'summary', null);
  const { problem, seq } = state.status;
  useEffect(() => onRead(threadId, { summary, problem, seq }), [threadId, summary, problem, seq, onRead]);
  return null;
}

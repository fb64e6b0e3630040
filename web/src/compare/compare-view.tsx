import '../styles/views.css';
import '../styles/compare.css';
import { useCallback, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { RelayBody } from '../../../src/protocols/http-api.ts';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { ColumnReader } from './column-reader.tsx';
import { CompareDiffs } from './compare-diffs.tsx';
import type { Compared } from './compared.ts';
import { CompareStart } from './compare-start.tsx';
import { CompareTable } from './compare-table.tsx';
import { KeepDialog } from './keep-dialog.tsx';
import { RelayAnswers } from '../relays/relay-answers.ts';
import { useRelays } from '../inbox/use-relays.ts';
import { useThreads } from '../threads/use-threads.ts';
import { RecentComparisons } from './recent-comparisons.tsx';

type CompareViewProps = Pick<PageProps, 'client' | 'agents' | 'onMenu'> & {
  readonly threads: readonly string[];
  readonly open: (address: Address) => void;
};

/** The most threads that are shown side by side. */
const most = 6;

/** Threads side by side, live; or a form that starts some. */
export function CompareView({ client, agents, onMenu, threads, open }: CompareViewProps) {
  const shown = [...new Set(threads)].slice(0, most);
  return (
    <main className="main">
      <TopBar title="Compare" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column compare">
          {shown.length === 0 ? (
            <>
              <CompareStart
                client={client}
                agents={agents}
                onStarted={ids => open({ section: 'compare', threads: ids })}
              />
              <RecentComparisons client={client} open={open} />
            </>
          ) : (
            <Comparison key={shown.join()} client={client} threads={shown} open={open} />
          )}
        </div>
      </div>
    </main>
  );
}

const mostRequest = 600;

function Comparison({ client, threads, open }: Pick<CompareViewProps, 'client' | 'threads' | 'open'>) {
  const [known, setKnown] = useState<Readonly<Record<string, Compared>>>({});
  const [keeping, setKeeping] = useState<string>();
  const onRead = useCallback((column: Compared) => setKnown(before => ({ ...before, [column.threadId]: column })), []);
  const { relays, answer } = useWaiting(client);
  const columns = threads.map(threadId => ({
    ...(known[threadId] ?? { threadId }),
    waiting: relays.filter(info => info.threadId === threadId),
  }));
  const request = columns.find(({ summary }) => summary?.request)?.summary?.request;
  const kept = columns.find(({ threadId }) => threadId === keeping);
  return (
    <>
      {threads.map(threadId => (
        <ColumnReader key={threadId} client={client} threadId={threadId} onRead={onRead} />
      ))}
      {request !== undefined && <p className="compare-request">{request.slice(0, mostRequest)}</p>}
      <RelayAnswers value={answer}>
        <CompareTable columns={columns} open={open} onKeep={setKeeping} />
      </RelayAnswers>
      <h2 className="compare-heading">Changes</h2>
      <CompareDiffs client={client} columns={columns} />
      {kept !== undefined && (
        <KeepDialog
          client={client}
          column={kept}
          others={columns.filter(column => column !== kept)}
          onClose={() => setKeeping(undefined)}
        />
      )}
    </>
  );
}

/** Returns the pending relays of all threads, and a callback that answers one. */
function useWaiting(client: Client) {
  const { threads, state } = useThreads();
  const { relays, settle, restore } = useRelays(client, threads, state === 'live');
  const answer = async (relayId: string, body: RelayBody) => {
    const threadId = relays.find(({ id }) => id === relayId)?.threadId;
    if (threadId === undefined) return;
    settle(relayId);
    try {
      await client.answerRelay(threadId, relayId, body);
    } catch (error) {
      restore(relayId);
      throw error;
    }
  };
  return { relays, answer };
}

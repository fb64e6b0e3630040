import { lazy, Suspense, useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { AgentInfo } from '../../../src/protocols/index.ts';
import { Conversation } from '../conversation/conversation.tsx';
import { NewConversation } from '../start/new-conversation.tsx';
import { Sidebar } from '../threads/sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { ThreadViewPage } from './thread-view-page.tsx';
import { useAddress } from './use-address.ts';
import { useThreads } from '../threads/use-threads.ts';

const UsageView = lazy(async () => ({ default: (await import('../usage/usage-view.tsx')).UsageView }));

/** The whole page: the list of conversations, and the open one. */
export function App({ client }: { client: Client }) {
  const { address, open } = useAddress();
  const threadId = address.section === 'thread' ? address.threadId : undefined;
  const { threads, refresh } = useThreads(client);
  const [agents, setAgents] = useState<readonly AgentInfo[]>([]);
  const [listShown, setListShown] = useState(false);

  useEffect(() => {
    client.listAgents().then(setAgents, () => {});
  }, [client]);

  const show = (id: string | undefined) => {
    open(id === undefined ? { section: 'start' } : { section: 'thread', threadId: id });
    setListShown(false);
    refresh();
  };
  const remove = async (id: string) => {
    await client.deleteThread(id).catch(() => {});
    if (id === threadId) show(undefined);
    else refresh();
  };
  const title = threads.find(thread => thread.id === threadId)?.title;
  const page = { client, agents, refresh, onMenu: () => setListShown(true) };

  return (
    <div className="app" data-list={listShown ? 'shown' : 'hidden'}>
      <Sidebar threads={threads} current={threadId} onOpen={show} onRemove={remove} />
      <button type="button" className="scrim" aria-label="Close the list" onClick={() => setListShown(false)} />
      <Suspense fallback={<LoadingPage onMenu={page.onMenu} />}>
        {address.section === 'usage' ? (
          <UsageView {...page} />
        ) : address.section === 'thread' && address.view !== undefined ? (
          <ThreadViewPage
            key={`${address.threadId} ${address.view}`}
            {...page}
            address={address}
            view={address.view}
            open={open}
            title={title}
          />
        ) : address.section === 'thread' ? (
          <Conversation key={address.threadId} {...page} address={address} open={open} title={title} />
        ) : (
          <NewConversation {...page} onStarted={show} />
        )}
      </Suspense>
    </div>
  );
}

/** The page while the code of a view is loaded. */
function LoadingPage({ onMenu }: { onMenu: () => void }) {
  return (
    <main className="main" aria-busy="true">
      <TopBar title="Loading…" onMenu={onMenu} />
    </main>
  );
}

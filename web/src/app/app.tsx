import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { AgentInfo } from '../../../src/protocols/index.ts';
import { Conversation } from '../conversation/conversation.tsx';
import { NewConversation } from '../start/new-conversation.tsx';
import { Sidebar } from '../threads/sidebar.tsx';
import { useAddress } from './use-address.ts';
import { useThreads } from '../threads/use-threads.ts';

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
  const page = { client, agents, refresh, onMenu: () => setListShown(true) };

  return (
    <div className="app" data-list={listShown ? 'shown' : 'hidden'}>
      <Sidebar threads={threads} current={threadId} onOpen={show} onRemove={remove} />
      <button type="button" className="scrim" aria-label="Close the list" onClick={() => setListShown(false)} />
      {address.section === 'start' ? (
        <NewConversation {...page} onStarted={show} />
      ) : (
        <Conversation
          key={address.threadId}
          {...page}
          address={address}
          open={open}
          title={threads.find(thread => thread.id === threadId)?.title}
        />
      )}
    </div>
  );
}

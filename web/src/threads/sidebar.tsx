import { useCallback, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import type { Address } from '../app/address.ts';
import { pageName } from '../app/page-title.ts';
import { Logo } from '../parts/icons.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useMinute } from '../parts/use-minute.ts';
import { waitingIn } from './group-threads.ts';
import { ListNotice } from './list-notice.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { SearchResults } from './search-results.tsx';
import { SearchRow } from './search-row.tsx';
import { SidebarFoot } from './sidebar-foot.tsx';
import { SidebarLinks } from './sidebar-links.tsx';
import { ThreadMenu } from './thread-menu.tsx';
import { ThreadRows } from './thread-rows.tsx';
import type { ThreadList, ThreadListView } from './thread-list.ts';
import type { ThreadActions } from './use-thread-actions.ts';

export interface SidebarProps {
  readonly client: Client;
  readonly agents: readonly AgentInfo[];
  readonly list: ThreadList;
  readonly view: ThreadListView;
  readonly address: Address;
  readonly open: (address: Address) => void;
  readonly actions: ThreadActions;
  readonly onSettings: () => void;
  readonly onHelp: () => void;
}

/** The list of conversations with its search, and the way to everything else. */
export function Sidebar({ client, agents, list, view, address, open, actions, onSettings, onHelp }: SidebarProps) {
  const [typed, setTyped] = useState('');
  const [showArchived, setShowArchived] = useState(false);
  const [menu, setMenu] = useState<{ readonly thread: ThreadInfo; readonly anchor: HTMLElement }>();
  const [renamed, setRenamed] = useState<ThreadInfo>();
  const now = useMinute();
  const { threads } = view;
  const current = address.section === 'thread' ? address.threadId : undefined;
  const archived = threads.some(({ isArchived }) => isArchived === true);
  const openThread = useCallback((threadId: string) => open({ section: 'thread', threadId }), [open]);
  const onMenu = useCallback((thread: ThreadInfo, anchor: HTMLElement) => setMenu({ thread, anchor }), []);

  return (
    <nav className="sidebar" aria-label="Conversations">
      <div className="brand">
        <Logo />
        {pageName}
      </div>
      <ProjectPicker client={client} onChosen={() => open({ section: 'start' })} />
      <SidebarLinks address={address} waiting={waitingIn(threads)} open={open} />
      <SearchRow typed={typed} setTyped={setTyped} />
      {typed.trim().length >= 2 ? (
        <SearchResults
          client={client}
          agents={agents}
          typed={typed}
          now={now}
          current={current}
          open={open}
          onMenu={onMenu}
        />
      ) : (
        <>
          <ListNotice view={view} onRetry={list.restart} />
          <ThreadRows
            view={view}
            agents={agents}
            current={current}
            showArchived={showArchived}
            now={now}
            loadMore={list.loadMore}
            onOpen={openThread}
            onMenu={onMenu}
          />
        </>
      )}
      <SidebarFoot
        archived={archived ? showArchived : undefined}
        onArchived={setShowArchived}
        onSettings={onSettings}
        onHelp={onHelp}
      />
      {menu && (
        <ThreadMenu
          {...menu}
          actions={actions}
          onRename={() => setRenamed(menu.thread)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {renamed && (
        <RenameDialog
          thread={renamed}
          onRename={title => actions.change(renamed, { title })}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </nav>
  );
}

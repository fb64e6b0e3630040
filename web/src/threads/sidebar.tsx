import { useCallback, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { AgentInfo, ThreadInfo } from '../../../src/protocols/index.ts';
import { type Address, writeAddress } from '../app/address.ts';
import { pageName } from '../app/page-title.ts';
import { setPreferences } from '../app/preferences.ts';
import {
  CompareIcon,
  FolderIcon,
  HelpIcon,
  InboxIcon,
  KeyIcon,
  Logo,
  PlusIcon,
  RulesIcon,
  SearchIcon,
  SettingsIcon,
  UsageIcon,
} from '../parts/icons.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useGrouping } from '../projects/use-grouping.ts';
import { useProjects } from '../projects/use-projects.ts';
import { useMinute } from '../parts/use-minute.ts';
import { waitingIn } from './group-threads.ts';
import { ListNotice } from './list-notice.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { SearchResults } from './search-results.tsx';
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
  const groupBy = useGrouping();
  const hasProjects = useProjects() !== undefined;
  const { threads } = view;
  const current = address.section === 'thread' ? address.threadId : undefined;
  const waiting = waitingIn(threads);
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
      <div className="sidebar-links">
        <SidebarLink address={{ section: 'start' }} isCurrent={address.section === 'start'} open={open}>
          <PlusIcon />
          New conversation
        </SidebarLink>
        <SidebarLink address={{ section: 'inbox' }} isCurrent={address.section === 'inbox'} open={open}>
          <InboxIcon />
          Inbox
          {waiting > 0 && (
            <span className="badge" role="img" aria-label={`${waiting} waiting`}>
              {waiting}
            </span>
          )}
        </SidebarLink>
        <SidebarLink
          address={{ section: 'compare', threads: [] }}
          isCurrent={address.section === 'compare'}
          open={open}
        >
          <CompareIcon />
          Compare
        </SidebarLink>
        <SidebarLink address={{ section: 'usage' }} isCurrent={address.section === 'usage'} open={open}>
          <UsageIcon />
          Usage
        </SidebarLink>
        {hasProjects && (
          <>
            <SidebarLink address={{ section: 'models' }} isCurrent={address.section === 'models'} open={open}>
              <KeyIcon />
              Models and keys
            </SidebarLink>
            <SidebarLink address={{ section: 'rules' }} isCurrent={address.section === 'rules'} open={open}>
              <RulesIcon />
              Rules
            </SidebarLink>
          </>
        )}
      </div>
      <div className="search-row">
        <div className="search-box">
          <SearchIcon />
          <input
            type="search"
            className="field"
            aria-label="Search conversations"
            placeholder="Search"
            value={typed}
            onChange={event => setTyped(event.target.value)}
            onKeyDown={event => {
              if (event.key === 'Escape') setTyped('');
            }}
          />
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label="Group by folder"
          title={groupBy === 'folder' ? 'Group by day' : 'Group by folder'}
          aria-pressed={groupBy === 'folder'}
          onClick={() => setPreferences({ groupBy: groupBy === 'folder' ? 'day' : 'folder' })}
        >
          <FolderIcon />
        </button>
      </div>
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
      <div className="sidebar-foot">
        {archived && (
          <button
            type="button"
            className="quiet-button"
            aria-pressed={showArchived}
            onClick={() => setShowArchived(!showArchived)}
          >
            {showArchived ? 'Hide archived' : 'Show archived'}
          </button>
        )}
        <span className="spacer" />
        <button
          type="button"
          className="icon-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={onHelp}
        >
          <HelpIcon />
        </button>
        <button type="button" className="icon-button" aria-label="Settings" title="Settings" onClick={onSettings}>
          <SettingsIcon />
        </button>
      </div>
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

interface SidebarLinkProps {
  readonly address: Address;
  readonly isCurrent: boolean;
  readonly open: (address: Address) => void;
  readonly children: React.ReactNode;
}

function SidebarLink({ address, isCurrent, open, children }: SidebarLinkProps) {
  return (
    <a
      className="sidebar-link"
      href={writeAddress(address)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(address);
      }}
    >
      {children}
    </a>
  );
}

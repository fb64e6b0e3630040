import { lazy, Suspense } from 'react';
import { NewConversation } from '../start/new-conversation.tsx';
import { type Address, writeAddress } from './address.ts';
import type { PageProps } from './page.ts';
import { TopBar } from './top-bar.tsx';
import { UnknownAddress } from './unknown-address.tsx';
import { ViewBoundary } from './view-boundary.tsx';

const Conversation = lazy(async () => ({ default: (await import('../conversation/conversation.tsx')).Conversation }));
const CompareView = lazy(async () => ({ default: (await import('../compare/compare-view.tsx')).CompareView }));
const Inbox = lazy(async () => ({ default: (await import('../inbox/inbox.tsx')).Inbox }));
const ThreadViewPage = lazy(async () => ({ default: (await import('./thread-view-page.tsx')).ThreadViewPage }));
const SessionsView = lazy(async () => ({ default: (await import('../sessions/sessions-view.tsx')).SessionsView }));
const KeysView = lazy(async () => ({ default: (await import('../settings/keys-view.tsx')).KeysView }));
const RulesView = lazy(async () => ({ default: (await import('../settings/rules-view.tsx')).RulesView }));
const UsageView = lazy(async () => ({ default: (await import('../usage/usage-view.tsx')).UsageView }));

interface OpenViewProps extends PageProps {
  readonly address: Address;
  readonly open: (address: Address) => void;
  /** Whether the agents are loaded. */
  readonly isLoaded: boolean;
  /** The title of the open thread. */
  readonly title: string | undefined;
  /** Is called when other models can be used than before. */
  readonly onModelsChange: () => void;
}

/** The view that the address names; the code of all but the first is loaded on demand. */
export function OpenView({ address, open, isLoaded, title, onModelsChange, ...page }: OpenViewProps) {
  return (
    <ViewBoundary name={writeAddress(address)} onMenu={page.onMenu}>
      <Suspense fallback={<LoadingPage onMenu={page.onMenu} />}>
        {address.section === 'inbox' ? (
          <Inbox {...page} address={address} open={open} />
        ) : address.section === 'unknown' ? (
          <UnknownAddress path={address.path} open={open} onMenu={page.onMenu} />
        ) : address.section === 'usage' ? (
          <UsageView {...page} />
        ) : address.section === 'sessions' ? (
          <SessionsView {...page} open={open} />
        ) : address.section === 'models' ? (
          <KeysView {...page} onChange={onModelsChange} />
        ) : address.section === 'rules' ? (
          <RulesView {...page} open={open} />
        ) : address.section === 'compare' ? (
          <CompareView {...page} threads={address.threads} open={open} />
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
          <NewConversation
            {...page}
            isLoaded={isLoaded}
            open={open}
            agent={address.section === 'start' ? address.agent : undefined}
          />
        )}
      </Suspense>
    </ViewBoundary>
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

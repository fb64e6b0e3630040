import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { PageCommands } from '../composer/page-command.ts';
import { type Toast, Toasts } from '../parts/toasts.tsx';
import { ProjectsContext, useLoadedProjects } from '../projects/use-projects.ts';
import { waitingIn } from '../threads/group-threads.ts';
import { markSeen } from '../threads/seen-threads.ts';
import { Sidebar } from '../threads/sidebar.tsx';
import { type PendingDeletion, useThreadActions } from '../threads/use-thread-actions.ts';
import { Threads, getTitle, useThreadList } from '../threads/use-threads.ts';
import type { Address } from './address.ts';
import { OpenView } from './open-view.tsx';
import type { PageProps } from './page.ts';
import { useWaitingCount } from './page-title.ts';
import { pageCommands } from './page-commands.ts';
import { useShortcuts } from './shortcuts.ts';
import { SignedOut } from './signed-out.tsx';
import { useAddress } from './use-address.ts';
import { useAgents } from './use-agents.ts';
import { useNotices } from './use-notices.ts';

const Palette = lazy(async () => ({ default: (await import('../palette/palette.tsx')).Palette }));
const SettingsSheet = lazy(async () => ({ default: (await import('./settings-sheet.tsx')).SettingsSheet }));
const TrustDialog = lazy(async () => ({ default: (await import('../projects/trust-dialog.tsx')).TrustDialog }));
const HelpSheet = lazy(async () => ({ default: (await import('./help-sheet.tsx')).HelpSheet }));

/** The whole page: the list of conversations, and the view that is open. */
export function App({ client }: { client: Client }) {
  const { address, open: navigate } = useAddress();
  const threadId = address.section === 'thread' ? address.threadId : undefined;
  const { list, view } = useThreadList(client);
  const [isListShown, setListShown] = useState(false);
  const [sheet, setSheet] = useState<SheetName>();

  const open = useCallback(
    (next: Address) => {
      navigate(next);
      setListShown(false);
    },
    [navigate],
  );
  const show = useCallback(
    (id: string | undefined) => open(id === undefined ? { section: 'start' } : { section: 'thread', threadId: id }),
    [open],
  );
  const { actions, deletion, problem, dismiss } = useThreadActions({ client, list, open: show, current: threadId });
  const { threads, state } = view;
  const current = threads.find(thread => thread.id === threadId);

  const isLive = state === 'live';
  const projects = useLoadedProjects(client, isLive);
  const { agents, reload: reloadAgents } = useAgents({ client, projects, thread: current, isLive });
  const wanted = address.section === 'start' ? address.project : undefined;
  useEffect(() => {
    if (wanted === undefined || projects === undefined) return;
    navigate({ section: 'start' }, true);
    projects.open(wanted).then(projects.choose, () => {}); // The project before stays chosen.
  }, [wanted, projects, navigate]);
  useEffect(() => {
    if (current !== undefined && !document.hidden) markSeen(current);
  }, [current]);
  useWaitingCount(waitingIn(threads));
  useNotices({ client, threads, isReady: isLive, open });
  useAppShortcuts({ open, showSheet: setSheet, showList: () => setListShown(true) });
  const commands = useMemo(
    () => pageCommands({ open, onHelp: () => setSheet('help'), onSettings: () => setSheet('settings') }),
    [open],
  );

  if (state === 'signed-out') return <SignedOut />;
  const page = { client, agents: agents ?? [], onMenu: () => setListShown(true) };
  return (
    <ProjectsContext value={projects}>
      <Threads value={list}>
        <PageCommands value={commands}>
          <div className="app" data-list={isListShown ? 'shown' : 'hidden'}>
            <Sidebar
              client={client}
              agents={page.agents}
              list={list}
              view={view}
              address={address}
              open={open}
              actions={actions}
              onSettings={() => setSheet('settings')}
              onHelp={() => setSheet('help')}
            />
            <button type="button" className="scrim" aria-label="Close the list" onClick={() => setListShown(false)} />
            <OpenView
              {...page}
              address={address}
              open={open}
              isLoaded={agents !== undefined}
              title={current === undefined ? undefined : getTitle(current)}
              onModelsChange={reloadAgents}
            />
            <Suspense fallback={null}>
              {sheet !== undefined && <Sheet {...page} sheet={sheet} show={setSheet} open={open} />}
              {projects?.asked !== undefined && (
                <TrustDialog key={projects.asked.trust?.lines.join()} project={projects.asked} projects={projects} />
              )}
            </Suspense>
            <Toasts toasts={listToasts(deletion, problem, dismiss)} />
          </div>
        </PageCommands>
      </Threads>
    </ProjectsContext>
  );
}

type SheetName = 'palette' | 'settings' | 'help';

interface SheetProps extends PageProps {
  readonly sheet: SheetName;
  readonly show: (sheet: SheetName | undefined) => void;
  readonly open: (address: Address) => void;
}

/** The open overlay: settings, help or the command palette. */
function Sheet({ sheet, show, ...page }: SheetProps) {
  const close = () => show(undefined);
  if (sheet === 'settings') return <SettingsSheet onClose={close} />;
  if (sheet === 'help') return <HelpSheet onClose={close} />;
  return <Palette {...page} onHelp={() => show('help')} onSettings={() => show('settings')} onClose={close} />;
}

interface ShortcutTargets {
  readonly open: (address: Address) => void;
  readonly showSheet: (sheet: SheetName) => void;
  readonly showList: () => void;
}

/** The keys that work in every view. */
function useAppShortcuts({ open, showSheet, showList }: ShortcutTargets): void {
  const startNew = () => open({ section: 'start' });
  const openInbox = () => open({ section: 'inbox' });
  const searchThreads = () => {
    showList();
    document.querySelector<HTMLInputElement>('.sidebar input[type=search]')?.focus();
  };
  useShortcuts({
    'mod+k': () => showSheet('palette'),
    '?': () => showSheet('help'),
    n: startNew,
    'alt+n': startNew,
    'g i': openInbox,
    'alt+i': openInbox,
    'g t': searchThreads,
    'alt+t': searchThreads,
  });
}

/** The deletion that can be undone, and the last problem. */
function listToasts(deletion: PendingDeletion | undefined, problem: string | undefined, dismiss: () => void): Toast[] {
  const toasts: Toast[] = [];
  if (deletion !== undefined)
    toasts.push({
      key: deletion.thread.id,
      text: `Deleted “${getTitle(deletion.thread)}”.`,
      action: { label: 'Undo', run: deletion.undo },
    });
  if (problem !== undefined) toasts.push({ key: 'problem', text: problem, tone: 'bad', onClose: dismiss });
  return toasts;
}

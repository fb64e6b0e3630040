import '../styles/views.css';
import { type ComponentType, lazy, Suspense } from 'react';
import type { ThreadAddress, ThreadView } from './address.ts';
import type { PageProps } from './page.ts';
import { TopBar } from './top-bar.tsx';
import { ViewTabs } from './view-tabs.tsx';
import { ViewState } from '../parts/view-state.tsx';
import { useBackOnEscape } from './use-back-on-escape.ts';

/** The props of a view of a thread. */
export interface ThreadViewProps extends Pick<PageProps, 'client' | 'agents'> {
  readonly address: ThreadAddress;
  /** Opens another address; in place of the current one when it is a small step. */
  readonly open: (address: ThreadAddress, isReplacing?: boolean) => void;
}

const views: Record<ThreadView, ComponentType<ThreadViewProps>> = {
  graph: lazy(async () => ({ default: (await import('../graph/graph-page.tsx')).GraphPage })),
  runs: lazy(async () => ({ default: (await import('../runs/runs-page.tsx')).RunsPage })),
  playback: lazy(async () => ({ default: (await import('../playback/playback-page.tsx')).PlaybackPage })),
  repl: lazy(async () => ({ default: (await import('../repl/repl-page.tsx')).ReplPage })),
};

interface ThreadViewPageProps extends ThreadViewProps {
  readonly view: ThreadView;
  readonly title: string | undefined;
  readonly onMenu: () => void;
}

/** A thread view other than the conversation; Escape returns to the conversation. */
export function ThreadViewPage({ view, title, onMenu, ...props }: ThreadViewPageProps) {
  const View = views[view];
  useBackOnEscape(props.address.threadId, props.open);
  return (
    <main className="main">
      <TopBar title={title ?? 'Conversation'} tabs={<ViewTabs {...props} />} onMenu={onMenu} />
      <Suspense fallback={<ViewState title="Loading…" />}>
        <View {...props} />
      </Suspense>
    </main>
  );
}

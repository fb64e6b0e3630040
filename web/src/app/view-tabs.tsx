import type { ThreadAddress, ThreadView } from './address.ts';
import { useThreads } from '../threads/use-threads.ts';
import { ViewLink } from './view-link.tsx';

const names: Record<ThreadView, string> = { graph: 'Graph', runs: 'Runs', playback: 'Playback', repl: 'REPL' };

interface ViewTabsProps {
  readonly address: ThreadAddress;
  readonly open: (address: ThreadAddress) => void;
}

/** The views of a thread, the shown one marked; that of code only where some ran. */
export function ViewTabs({ address: { threadId, view }, open }: ViewTabsProps) {
  const hasCode = useThreads().threads.find(({ id }) => id === threadId)?.hasCode === true;
  const isOffered = (each: ThreadView) => each !== 'repl' || hasCode || view === 'repl';
  const link = (name: string, to?: ThreadView) => (
    <ViewLink
      key={name}
      className="view-tab"
      to={{ section: 'thread', threadId, ...(to && { view: to }) }}
      open={next => open(next as ThreadAddress)}
      isCurrent={view === to}
    >
      {name}
    </ViewLink>
  );
  return (
    <nav className="view-tabs" aria-label="Views">
      {link('Conversation')}
      {(Object.keys(names) as ThreadView[]).filter(isOffered).map(each => link(names[each], each))}
    </nav>
  );
}

import type { ThreadViewProps } from '../app/thread-view-page.tsx';
import { useThread } from '../conversation/use-thread.ts';
import { ViewState } from '../parts/view-state.tsx';
import { GraphView } from './graph-view.tsx';

/** The drawing of a thread. */
export function GraphPage({ client, address }: ThreadViewProps) {
  const { thread } = useThread(client, address.threadId);
  return thread === undefined ? <ViewState title="Loading…" /> : <GraphView conversation={thread.conversation} />;
}

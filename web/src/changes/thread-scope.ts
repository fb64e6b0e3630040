import { createContext, useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { PagedList } from '../../../src/projections/reading/paged-list.ts';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';

/** The thread that is shown, for actions on its turns; it stays the same while the thread grows. */
export interface ThreadScope {
  readonly client: Client;
  readonly threadId: string;
  /** Returns the messages that are shown now. */
  readonly nodes: () => PagedList<ViewNode>;
  /** Whether these are all messages of the thread. */
  readonly isWhole: () => boolean;
  readonly openThread: (threadId: string) => void;
}

/** Provides the thread to its entries. */
export const ThreadScopeContext = createContext<ThreadScope | undefined>(undefined);

/** Returns the thread that is shown; undefined outside of one. */
export function useThreadScope(): ThreadScope | undefined {
  return useContext(ThreadScopeContext);
}

interface NewScope {
  readonly client: Client;
  readonly threadId: string;
  readonly nodes: PagedList<ViewNode>;
  readonly isWhole: boolean;
  readonly openThread: (threadId: string) => void;
}

/** Makes the scope of a thread. */
export function useNewThreadScope({ client, threadId, nodes, isWhole, openThread }: NewScope): ThreadScope {
  const latest = useRef({ nodes, isWhole, openThread });
  // Before the effects of the entries, which read it.
  useLayoutEffect(() => {
    latest.current = { nodes, isWhole, openThread };
  });
  return useMemo(
    () => ({
      client,
      threadId,
      nodes: () => latest.current.nodes,
      isWhole: () => latest.current.isWhole,
      openThread: id => latest.current.openThread(id),
    }),
    [client, threadId],
  );
}

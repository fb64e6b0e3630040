import { createContext, useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { PagedList, ViewNode } from '../../../src/projections/index.ts';

/** The thread that is shown, for actions on its turns; it stays the same while the thread grows. */
export interface ThreadScope {
  readonly client: Client;
  readonly threadId: string;
  /** Returns the messages that are shown now. */
  readonly nodes: () => PagedList<ViewNode>;
  readonly openThread: (threadId: string) => void;
}

/** Provides the thread to its entries. */
export const ThreadScopeContext = createContext<ThreadScope | undefined>(undefined);

/** Returns the thread that is shown; undefined outside of one. */
export function useThreadScope(): ThreadScope | undefined {
  return useContext(ThreadScopeContext);
}

/** Makes the scope of a thread. */
export function useNewThreadScope(
  client: Client,
  threadId: string,
  nodes: PagedList<ViewNode>,
  openThread: (threadId: string) => void,
): ThreadScope {
  const latest = useRef({ nodes, openThread });
  // Before the effects of the entries, which read it.
  useLayoutEffect(() => {
    latest.current = { nodes, openThread };
  });
  return useMemo(
    () => ({
      client,
      threadId,
      nodes: () => latest.current.nodes,
      openThread: id => latest.current.openThread(id),
    }),
    [client, threadId],
  );
}

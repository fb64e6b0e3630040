import { useEffect, useMemo, useState } from 'react';
import type { Client } from '../../src/client/index.ts';
import { type BranchView, branchView } from '../../src/projections/branch-view.ts';

const frameMs = 16;

/**
 * A conversation as it grows, and its active branch: everything comes from its event stream, so a reload shows the same.
 */
export function useThreadView(client: Client, threadId: string) {
  const [state, setState] = useState(() => branchView.initial);
  const [connected, setConnected] = useState(true);
  const [failure, setFailure] = useState<string>();

  useEffect(() => {
    const stop = new AbortController();
    let next = branchView.initial;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      setState(next);
    };
    const follow = async () => {
      for await (const event of client.watch(threadId, { signal: stop.signal, onConnection: setConnected })) {
        next = branchView.step(next, event);
        timer ??= setTimeout(show, frameMs);
      }
    };
    follow().catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)));
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [client, threadId]);

  const view: BranchView = useMemo(() => branchView.view(state), [state]);
  return { view, conversation: state.conversation, connected, failure };
}

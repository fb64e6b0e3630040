import { useCallback, useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { ThreadInfo } from '../../../src/protocols/index.ts';

const everyMs = 10_000;

/** Returns the conversations, newest first; reloads them regularly while the page is visible, and on request. */
export function useThreads(client: Client) {
  const [threads, setThreads] = useState<readonly ThreadInfo[]>([]);

  const refresh = useCallback(() => {
    client.listThreads({ limit: 200 }).then(setThreads, () => {});
  }, [client]);

  useEffect(() => {
    const whenInView = () => {
      if (document.visibilityState === 'visible') refresh();
    };
    refresh();
    const timer = setInterval(whenInView, everyMs);
    document.addEventListener('visibilitychange', whenInView);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', whenInView);
    };
  }, [refresh]);

  return { threads, refresh };
}

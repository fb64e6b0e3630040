import { useCallback, useEffect, useState } from 'react';

const threadIn = (path: string): string | undefined => {
  const [, id] = /^\/threads\/([^/]+)$/.exec(path) ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
};

/** Returns the conversation in the address, and a function to navigate to another one. */
export function useAddress() {
  const [threadId, setThreadId] = useState(() => threadIn(location.pathname));

  useEffect(() => {
    const onMove = () => setThreadId(threadIn(location.pathname));
    addEventListener('popstate', onMove);
    return () => removeEventListener('popstate', onMove);
  }, []);

  const open = useCallback((id: string | undefined) => {
    const path = id === undefined ? '/' : `/threads/${encodeURIComponent(id)}`;
    if (path !== location.pathname) history.pushState(null, '', path);
    setThreadId(id);
  }, []);

  return { threadId, open };
}

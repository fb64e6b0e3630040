import { useEffect, useState } from 'react';

/** How long a connection may be lost before that is shown: short losses are not worth a word. */
const patienceMs = 2_000;

/** Returns whether the connection is open, was lost for a while, or cannot be made. */
export function useConnection(isReconnecting: boolean): 'connected' | 'lost' | 'offline' {
  const [isLost, setIsLost] = useState(false);
  const [isOnline, setIsOnline] = useState(() => navigator.onLine);

  useEffect(() => {
    if (!isReconnecting) {
      setIsLost(false);
      return undefined;
    }
    const timer = setTimeout(() => setIsLost(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isReconnecting]);
  useEffect(() => {
    const update = () => setIsOnline(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);

  if (!isOnline && isReconnecting) return 'offline';
  return isLost ? 'lost' : 'connected';
}

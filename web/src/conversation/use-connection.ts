import { useEffect, useState } from 'react';
import { useIsOnline } from '../parts/use-is-online.ts';
import { lossText } from '../parts/loss-text.ts';

/** How long a connection may be lost before that is shown: short losses are not worth a word. */
const patienceMs = 2_000;

/** Returns what is wrong with the connection, in words; undefined while it is open, and when it was lost just now. */
export function useConnection(isReconnecting: boolean, lostBy: unknown): string | undefined {
  const [isLost, setIsLost] = useState(false);
  const isOnline = useIsOnline();
  useEffect(() => {
    if (!isReconnecting) {
      setIsLost(false);
      return undefined;
    }
    const timer = setTimeout(() => setIsLost(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isReconnecting]);
  if (!isReconnecting) return undefined;
  return isLost || !isOnline ? lossText(isOnline, lostBy) : undefined;
}

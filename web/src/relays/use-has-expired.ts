import { useEffect, useState } from 'react';
import type { EventOf } from '../../../src/events/vocabulary.ts';
import { hasExpired } from '../../../src/projections/relay-book.ts';

/** Whether the time to answer a relay is over by the clock of this machine; renders again when it is. */
export function useHasExpired(relay: EventOf<'relay'>): boolean {
  const [now, setNow] = useState(() => Date.now());
  const isOver = hasExpired(relay, now);
  const left = relay.expiresAt === undefined ? undefined : Date.parse(relay.expiresAt) - now;
  useEffect(() => {
    if (isOver || left === undefined) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(left, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }, [isOver, left]);
  return isOver;
}

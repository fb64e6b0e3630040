import { useCallback, useEffect, useState } from 'react';
import { type Address, readAddress, writeAddress } from './address.ts';

/** Returns the current address and a function to navigate to another one. */
export function useAddress() {
  const [address, setAddress] = useState(() => readAddress(location));

  useEffect(() => {
    const onMove = () => setAddress(readAddress(location));
    addEventListener('popstate', onMove);
    return () => removeEventListener('popstate', onMove);
  }, []);

  const open = useCallback((next: Address, isReplacing = false) => {
    const path = writeAddress(next);
    if (isReplacing) history.replaceState(null, '', path);
    else if (path !== location.pathname + location.search) history.pushState(null, '', path);
    setAddress(next);
  }, []);

  return { address, open };
}

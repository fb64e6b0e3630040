import { useEffect } from 'react';
import type { ThreadAddress } from './address.ts';

/** Opens the conversation of a thread when Escape is pressed and nothing else took the key. */
export function useBackOnEscape(threadId: string, open: (address: ThreadAddress) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing)
        open({ section: 'thread', threadId });
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [threadId, open]);
}

import { useEffect } from 'react';
import type { ReadingPosition } from './reading-position.ts';

interface ListKeys {
  readonly position: ReadingPosition;
  readonly toStart: () => void;
  readonly toEnd: () => void;
  /** Whether the list is visible. */
  readonly isShown: boolean;
}

/** Home, End, PageUp and PageDown move in the conversation, unless a field or another part of the page has the focus. */
export function useListKeys({ position, toStart, toEnd, isShown }: ListKeys): void {
  useEffect(() => {
    if (!isShown) return;
    const onKey = (event: KeyboardEvent) => {
      const focused = event.target instanceof Element ? event.target : undefined;
      const isElsewhere = focused?.closest('.scroll') === null && focused !== document.body;
      const isField = focused?.closest('input, textarea, select, [contenteditable]') !== null && focused !== undefined;
      if (isElsewhere || isField || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = {
        Home: toStart,
        End: toEnd,
        PageUp: () => position.scrollPages(-1),
        PageDown: () => position.scrollPages(1),
      }[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [position, toStart, toEnd, isShown]);
}

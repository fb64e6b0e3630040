import { useEffect } from 'react';
import type { ReadingPosition } from './reading-position.ts';

interface ListKeys {
  readonly position: ReadingPosition;
  readonly toStart: () => void;
  readonly toEnd: () => void;
}

/** Home, End, PageUp and PageDown move in the conversation, unless another part of the page has the focus. */
export function useListKeys({ position, toStart, toEnd }: ListKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
      if (event.defaultPrevented || hasModifier || !isForList(event.target)) return;
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
  }, [position, toStart, toEnd]);
}

/** Whether a key there moves in the conversation: in it, on the page itself, or in a message that is still empty. */
function isForList(target: EventTarget | null): boolean {
  if (target === document.body) return true;
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLTextAreaElement) return target.closest('.foot') !== null && target.value === '';
  return target.closest('.scroll') !== null && target.closest('input, select, [contenteditable]') === null;
}

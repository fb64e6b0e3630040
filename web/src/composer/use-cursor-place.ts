import { type Ref, useLayoutEffect, useRef } from 'react';

/** Moves the cursor of a field after its text was changed by the page. */
export function useCursorPlace(onPlace: (cursor: number) => void) {
  const element = useRef<HTMLTextAreaElement>(null);
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    element.current?.setSelectionRange(wanted.current, wanted.current);
    onPlace(wanted.current);
    wanted.current = undefined;
  });
  const attach = (outer: Ref<HTMLTextAreaElement>) => (field: HTMLTextAreaElement | null) => {
    element.current = field;
    if (typeof outer === 'function') outer(field);
    else if (outer !== null) outer.current = field;
  };
  return { attach, set: (cursor: number) => void (wanted.current = cursor) };
}

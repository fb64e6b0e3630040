import { useEffect, useState } from 'react';

const releases = ['pointerup', 'pointercancel'] as const;

/**
 * Returns a value as it was when a pointer was pressed, until it is released: a row that moves away under the pointer
 * would take no click.
 */
export function useWhilePressed<Value>(value: Value): { readonly shown: Value; readonly onPointerDown: () => void } {
  const [held, setHeld] = useState<{ readonly value: Value }>();
  const isHeld = held !== undefined;
  useEffect(() => {
    if (!isHeld) return undefined;
    // The click comes right after the release.
    const release = () => void requestAnimationFrame(() => setHeld(undefined));
    for (const type of releases) addEventListener(type, release, true);
    return () => {
      for (const type of releases) removeEventListener(type, release, true);
    };
  }, [isHeld]);
  return { shown: held === undefined ? value : held.value, onPointerDown: () => setHeld({ value }) };
}

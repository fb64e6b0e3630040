import { type RefObject, useEffect, useRef, useState } from 'react';

/** Returns whether an element is at least this wide, in pixels. */
export function useWide<E extends Element>(
  width: number,
): { readonly ref: RefObject<E | null>; readonly isWide: boolean } {
  const ref = useRef<E>(null);
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= width));
    observer.observe(element);
    return () => observer.disconnect();
  }, [width]);
  return { ref, isWide };
}

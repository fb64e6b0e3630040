import { type RefObject, useEffect, useState } from 'react';

/** Rows that are asked for beyond the visible ones, and the step by which the asked part moves. */
const beyond = 16;
const stride = 8;

/** Returns the visible range of a list of rows of equal height, with a margin on both sides. */
export function useVisibleRows(
  box: RefObject<HTMLElement | null>,
  rowHeight: number,
): { first: number; count: number } {
  const [rows, setRows] = useState({ first: 0, count: 48 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight / stride) * stride - beyond);
      const count = Math.ceil(element.clientHeight / rowHeight / stride) * stride + stride + 2 * beyond;
      setRows(before => (before.first === first && before.count === count ? before : { first, count }));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box, rowHeight]);
  return rows;
}

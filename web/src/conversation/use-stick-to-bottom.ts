import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 48;

/**
 * Keeps a scrolling element at its end when its content changes, unless the reader scrolled up; `stay` skips the next
 * change.
 */
export function useStickToBottom(content: unknown, more: unknown) {
  const element = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [away, setAway] = useState(false);

  const toBottom = useCallback(() => {
    const box = element.current;
    sticks.current = true;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  const stay = useCallback(() => {
    sticks.current = false;
  }, []);

  const onScroll = useCallback(() => {
    const box = element.current;
    if (!box) return;
    sticks.current = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
    setAway(!sticks.current);
  }, []);

  useLayoutEffect(() => {
    if (sticks.current) toBottom();
    else onScroll();
  }, [content, more, toBottom, onScroll]);

  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (sticks.current) toBottom();
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, [toBottom]);

  return { element, away, onScroll, toBottom, stay };
}

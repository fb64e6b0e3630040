import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { moved, type TimeWindow, wholeTime, zoomed } from './time-window.ts';

const step = 1.6;

/** The changes of a window that keys make. */
const keys: Readonly<Record<string, (window: TimeWindow) => TimeWindow>> = {
  '+': window => zoomed(window, step),
  '=': window => zoomed(window, step),
  '-': window => zoomed(window, 1 / step),
  '0': () => wholeTime,
  ArrowRight: window => moved(window, 0.2),
  ArrowLeft: window => moved(window, -0.2),
};

/** Returns the visible time range; keys change it, and over `lane` Ctrl with the wheel or sideways scrolling. */
export function useTimeZoom(box: RefObject<HTMLElement | null>, lane: string) {
  const [window, setWindow] = useState(wholeTime);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const onWheel = (event: WheelEvent) => {
      const isZoom = event.ctrlKey || event.metaKey;
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!isZoom && !isSideways) return;
      const bounds = element.querySelector(lane)?.getBoundingClientRect();
      if (bounds === undefined || bounds.width === 0) return;
      event.preventDefault();
      const around = Math.min(100, Math.max(0, ((event.clientX - bounds.left) / bounds.width) * 100));
      const way = (event.deltaX || event.deltaY) / bounds.width;
      setWindow(before => (isZoom ? zoomed(before, Math.exp(-event.deltaY / 300), around) : moved(before, way)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, lane]);

  /** Returns whether the key changed the window. */
  const onKey = (event: KeyboardEvent): boolean => {
    const change = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (change === undefined) return false;
    event.preventDefault();
    setWindow(change);
    return true;
  };
  const zoom = (way: 'in' | 'out' | 'fit') =>
    setWindow(before => (way === 'fit' ? wholeTime : zoomed(before, way === 'in' ? step : 1 / step)));
  return { window, onKey, zoom, isWhole: window.to - window.from >= 100 };
}

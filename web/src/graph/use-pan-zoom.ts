import { type RefObject, useEffect, useRef } from 'react';
import { type Viewport, zoomAt } from './viewport.ts';

type Change = (change: (view: Viewport) => Viewport) => void;

const clickSlack = 4;

/** Moves the view by dragging and scrolling, and zooms it by pinching or scrolling with Ctrl. */
export function usePanZoom(box: RefObject<HTMLElement | null>, change: Change): void {
  const changed = useRef(change);
  changed.current = change;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const pointers = new Map<number, { x: number; y: number }>();
    let dragged = 0;
    const point = ({ clientX, clientY }: PointerEvent | WheelEvent) => {
      const { left, top } = element.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const at = point(event);
      if (event.ctrlKey || event.metaKey) changed.current(view => zoomAt(view, Math.exp(-event.deltaY / 300), at));
      else
        changed.current(view => ({
          ...view,
          x: view.x + event.deltaX / view.zoom,
          y: view.y + event.deltaY / view.zoom,
        }));
    };
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, point(event));
      dragged = 0;
    };
    const onMove = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) return;
      const now = point(event);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      dragged += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (dragged > clickSlack) element.setPointerCapture(event.pointerId);
      if (other !== undefined) {
        const factor = distance(now, other) / Math.max(1, distance(before, other));
        changed.current(view => zoomAt(view, factor, other));
      } else
        changed.current(view => ({
          ...view,
          x: view.x - (now.x - before.x) / view.zoom,
          y: view.y - (now.y - before.y) / view.zoom,
        }));
    };
    const onUp = (event: PointerEvent) => void pointers.delete(event.pointerId);
    // A click that ends a drag selects nothing.
    const onClick = (event: MouseEvent) => {
      if (dragged > clickSlack) event.stopPropagation();
      dragged = 0;
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    element.addEventListener('pointerdown', onDown);
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerup', onUp);
    element.addEventListener('pointercancel', onUp);
    element.addEventListener('click', onClick, true);
    return () => {
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('pointerdown', onDown);
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerup', onUp);
      element.removeEventListener('pointercancel', onUp);
      element.removeEventListener('click', onClick, true);
    };
  }, [box]);
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

import { type PointerEvent as ReactPointerEvent, type RefObject, useRef, useState } from 'react';

interface DraggedRow {
  /** The element whose children are the rows. */
  readonly list: RefObject<HTMLOListElement | null>;
  readonly dragged: number | undefined;
  /** Where the row would be put. */
  readonly target: number | undefined;
  /** Begins to drag a row. */
  readonly onPointerDown: (event: ReactPointerEvent, at: number) => void;
}

/** Moves rows of a list with a pointer; reports the old and the new index when a row is dropped. */
export function useDraggedRow(onMove: (from: number, to: number) => void): DraggedRow {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const onPointerDown = (event: ReactPointerEvent, from: number) => {
    if (event.button !== 0) return;
    const grip = event.currentTarget;
    let to = from;
    const onPointerMove = ({ clientY }: Event & { clientY: number }) => {
      to = placeAt(list.current, clientY, to);
      setDrag({ from, to });
    };
    const end = (isDropped: boolean) => () => {
      stop.abort();
      setDrag(undefined);
      if (isDropped) onMove(from, to);
    };
    const stop = new AbortController();
    const options = { signal: stop.signal };
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener('pointermove', event => onPointerMove(event as PointerEvent), options);
    grip.addEventListener('pointerup', end(true), options);
    grip.addEventListener('pointercancel', end(false), options);
  };
  return { list, dragged: drag?.from, target: drag?.to, onPointerDown };
}

/** The row at a height of the window. */
function placeAt(list: HTMLElement | null, y: number, otherwise: number): number {
  const rows = [...(list?.children ?? [])].map(row => row.getBoundingClientRect());
  const found = rows.findIndex(({ top, bottom }) => y >= top && y < bottom);
  if (found >= 0) return found;
  if (y < (rows[0]?.top ?? 0)) return 0;
  return y >= (rows.at(-1)?.bottom ?? Number.POSITIVE_INFINITY) ? rows.length - 1 : otherwise;
}

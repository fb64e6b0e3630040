import { type RefObject, useEffect, useLayoutEffect } from 'react';

const gap = 6;

/** Shows a box above or below its anchor, where there is more room, and gives its field the focus. */
export function usePlaceAt(box: RefObject<HTMLDivElement | null>, anchor: HTMLElement | null): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || anchor === null) return;
    element.showPopover();
    const { top, bottom, left, right } = anchor.getBoundingClientRect();
    const isAbove = top > innerHeight - bottom;
    const room = (isAbove ? top : innerHeight - bottom) - 2 * gap;
    const start = getComputedStyle(anchor).direction === 'rtl' ? right - element.offsetWidth : left;
    Object.assign(element.style, {
      maxHeight: `${Math.min(420, room)}px`,
      left: `${Math.max(gap, Math.min(start, innerWidth - element.offsetWidth - gap))}px`,
      ...(isAbove ? { bottom: `${innerHeight - top + gap}px` } : { top: `${bottom + gap}px` }),
    });
    element.querySelector('input')?.focus();
  }, [box, anchor]);
}

/** Calls `onClose` when the pointer is pressed outside of a box and its anchor. */
export function useCloseOutside(
  box: RefObject<HTMLElement | null>,
  anchor: HTMLElement | null,
  onClose: () => void,
): void {
  useEffect(() => {
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && box.current?.contains(target) !== true && anchor?.contains(target) !== true)
        onClose();
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [box, anchor, onClose]);
}

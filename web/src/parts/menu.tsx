import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';

interface MenuProps {
  readonly label: string;
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  /** A class beside that of every menu. */
  readonly look?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const gap = 4;
const edge = 8;

/** A menu beside the button that opened it: arrow keys move, Escape closes it and returns the focus. */
export function Menu({ label, anchor, look = '', onClose, children }: MenuProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = element.current;
    if (menu === null) return;
    const { left, bottom, top } = anchor.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = menu;
    const fitsBelow = bottom + offsetHeight + edge < innerHeight;
    menu.style.left = `${Math.max(edge, Math.min(left, innerWidth - offsetWidth - edge))}px`;
    menu.style.top = `${fitsBelow ? bottom + gap : Math.max(edge, top - offsetHeight - gap)}px`;
    menu.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  }, [anchor]);

  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(element.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items.at(next % items.length)?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      anchor.focus();
      onClose();
    }
  };
  return (
    <>
      <div className="menu-scrim" onPointerDown={onClose} />
      <div ref={element} className={`menu-box ${look}`} role="menu" aria-label={label} onKeyDown={onKeyDown}>
        {children}
      </div>
    </>
  );
}

import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useRef,
} from 'react';

interface MenuProps {
  readonly label: string;
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  /** A class in addition to that of every menu. */
  readonly look?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const gap = 4;
const edge = 8;
/** Closes the menu around an item, with the focus where it was before. */
const CloseMenu = createContext(() => {});

/** A menu next to the button that opened it: arrow keys move, Escape closes it and returns the focus. */
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

  const close = () => {
    anchor.focus();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(element.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items.at(next % items.length)?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
    }
  };
  return (
    <>
      <div className="menu-scrim" onPointerDown={onClose} />
      <div ref={element} className={`menu-box ${look}`} role="menu" aria-label={label} onKeyDown={onKeyDown}>
        <CloseMenu value={close}>{children}</CloseMenu>
      </div>
    </>
  );
}

/** One choice of a menu, which closes it first. */
export function MenuItem({ onClick, ...rest }: ComponentProps<'button'> & { readonly onClick: () => void }) {
  const close = useContext(CloseMenu);
  const choose = () => {
    close();
    onClick();
  };
  return <button type="button" role="menuitem" className="menu-item" tabIndex={-1} onClick={choose} {...rest} />;
}

/** A choice of a menu that is a file to download. */
export function MenuDownload({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const close = useContext(CloseMenu);
  return (
    <a role="menuitem" className="menu-item" tabIndex={-1} href={href} download onClick={close}>
      {children}
    </a>
  );
}

import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import type { ThreadInfo } from '../../../src/protocols/index.ts';
import type { ThreadActions } from './use-thread-actions.ts';
import { titleOf } from './use-threads.ts';

interface ThreadMenuProps {
  readonly thread: ThreadInfo;
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  readonly actions: ThreadActions;
  readonly onRename: () => void;
  readonly onClose: () => void;
}

/** The menu of a thread: arrow keys move, Escape closes it and returns the focus. */
export function ThreadMenu({ thread, anchor, actions, onRename, onClose }: ThreadMenuProps) {
  const element = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const menu = element.current;
    if (menu === null) return;
    const { left, bottom, top } = anchor.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = menu;
    const fitsBelow = bottom + offsetHeight + 8 < innerHeight;
    menu.style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
    menu.style.top = `${fitsBelow ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [anchor]);

  const choose = (action: () => void) => () => {
    anchor.focus();
    onClose();
    action();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(element.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
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
      <div
        ref={element}
        className="menu-box"
        role="menu"
        aria-label={`Actions of “${titleOf(thread)}”`}
        onKeyDown={onKeyDown}
      >
        <MenuItem onClick={choose(onRename)}>Rename…</MenuItem>
        <MenuItem onClick={choose(() => actions.change(thread, { isPinned: thread.isPinned !== true }))}>
          {thread.isPinned === true ? 'Unpin' : 'Pin'}
        </MenuItem>
        <MenuItem onClick={choose(() => actions.change(thread, { isArchived: thread.isArchived !== true }))}>
          {thread.isArchived === true ? 'Take out of the archive' : 'Archive'}
        </MenuItem>
        <MenuItem onClick={choose(() => actions.branch(thread))}>Branch</MenuItem>
        {exports.map(([format, label]) => (
          <a
            key={format}
            role="menuitem"
            className="menu-item"
            tabIndex={-1}
            href={`/api/threads/${encodeURIComponent(thread.id)}/export?format=${format}`}
            download
            onClick={choose(() => {})}
          >
            Export as {label}
          </a>
        ))}
        <MenuItem tone="bad" onClick={choose(() => actions.remove(thread))}>
          Delete
        </MenuItem>
      </div>
    </>
  );
}

const exports = [
  ['html', 'web page'],
  ['markdown', 'Markdown'],
  ['jsonl', 'JSONL'],
  ['atif', 'ATIF'],
  ['otlp', 'OTLP'],
] as const;

function MenuItem({ tone, onClick, children }: { tone?: 'bad'; onClick: () => void; children: string }) {
  return (
    <button type="button" role="menuitem" className="menu-item" data-tone={tone} tabIndex={-1} onClick={onClick}>
      {children}
    </button>
  );
}

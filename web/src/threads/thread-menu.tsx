import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { Menu } from '../parts/menu.tsx';
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

/** The menu of a thread. */
export function ThreadMenu({ thread, anchor, actions, onRename, onClose }: ThreadMenuProps) {
  const choose = (action: () => void) => () => {
    anchor.focus();
    onClose();
    action();
  };
  return (
    <Menu label={`Actions of “${titleOf(thread)}”`} anchor={anchor} onClose={onClose}>
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
    </Menu>
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

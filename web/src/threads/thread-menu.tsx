import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { Menu, MenuDownload, MenuItem } from '../parts/menu.tsx';
import type { ThreadActions } from './use-thread-actions.ts';
import { getTitle } from './use-threads.ts';

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
  return (
    <Menu label={`Actions of “${getTitle(thread)}”`} anchor={anchor} onClose={onClose}>
      <MenuItem onClick={onRename}>Rename…</MenuItem>
      <MenuItem onClick={() => actions.change(thread, { isPinned: thread.isPinned !== true })}>
        {thread.isPinned === true ? 'Unpin' : 'Pin'}
      </MenuItem>
      <MenuItem onClick={() => actions.change(thread, { isArchived: thread.isArchived !== true })}>
        {thread.isArchived === true ? 'Take out of the archive' : 'Archive'}
      </MenuItem>
      <MenuItem onClick={() => actions.branch(thread)}>Branch</MenuItem>
      {exports.map(([format, label]) => (
        <MenuDownload key={format} href={`/api/threads/${encodeURIComponent(thread.id)}/export?format=${format}`}>
          Export as {label}
        </MenuDownload>
      ))}
      <MenuItem data-tone="bad" onClick={() => actions.remove(thread)}>
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

import { useState } from 'react';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { getTitle } from './use-threads.ts';

interface RenameDialogProps {
  readonly thread: ThreadInfo;
  readonly onRename: (title: string) => void;
  readonly onClose: () => void;
}

/** Asks for the new title of a thread. */
export function RenameDialog({ thread, onRename, onClose }: RenameDialogProps) {
  const [title, setTitle] = useState(getTitle(thread));
  return (
    <Dialog label="Rename the conversation" onClose={onClose}>
      <form
        className="sheet-form"
        onSubmit={event => {
          event.preventDefault();
          if (title.trim() === '') return;
          onRename(title.trim());
          onClose();
        }}
      >
        <input
          className="field"
          aria-label="Title"
          maxLength={500}
          value={title}
          autoFocus
          onFocus={event => event.target.select()}
          onChange={event => setTitle(event.target.value)}
        />
        <div className="sheet-row">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={title.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}

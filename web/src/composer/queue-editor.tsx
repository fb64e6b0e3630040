import { useEffect, useState } from 'react';
import type { QueuedMessage } from '../../../src/protocols/http-api.ts';
import { toWords } from '../conversation/message-words.ts';
import { useLatest } from '../parts/use-latest.ts';

/** The interval for renewing the hold on an edited message; on the server a hold lasts a minute. */
const holdEveryMs = 20_000;

interface QueueEditorProps {
  readonly message: QueuedMessage;
  /** Holds the message, so that it is not sent while it is edited, or releases it. */
  readonly onHold: (isHeld: boolean) => Promise<unknown>;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** The editor of a queued message; neither the message nor those after it are sent while it is open. */
export function QueueEditor({ message, onHold, onSave, onCancel }: QueueEditorProps) {
  const [text, setText] = useState(() => toWords(message.content));
  const hold = useLatest(onHold);
  useEffect(() => {
    // The hold is asked for again; saving reports what went wrong.
    const keep = () => void hold.current(true).catch(() => {});
    keep();
    const timer = setInterval(keep, holdEveryMs);
    return () => clearInterval(timer);
  }, [hold]);
  const cancel = () => {
    // The hold expires without a renewal.
    void onHold(false).catch(() => {});
    onCancel();
  };
  return (
    <form
      className="queue-editor"
      onSubmit={event => {
        event.preventDefault();
        if (text.trim() !== '') onSave(text.trim());
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') cancel();
      }}
    >
      <textarea
        className="field"
        aria-label="Text of the waiting message"
        rows={2}
        value={text}
        autoFocus
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="code-button">
        Save
      </button>
      <button type="button" className="code-button" onClick={cancel}>
        Cancel
      </button>
      <p className="queue-note">Nothing is sent from here on while you edit.</p>
    </form>
  );
}

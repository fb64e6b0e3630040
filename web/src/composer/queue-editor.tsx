import { useEffect, useState } from 'react';
import type { QueuedMessage } from '../../../src/protocols/http-api.ts';
import { toWords } from '../conversation/message-words.ts';
import { useLatest } from '../parts/use-latest.ts';

/** How often a message that is edited is held again: the server holds it for a minute. */
const holdEveryMs = 20_000;

interface QueueEditorProps {
  readonly message: QueuedMessage;
  /** Holds the message, so that it is not sent while it is edited, or releases it. */
  readonly onHold: (isHeld: boolean) => Promise<unknown>;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** The field of a waiting message that is edited; neither it nor those after it are sent meanwhile. */
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
    // The hold ends by itself.
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

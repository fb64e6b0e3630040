import { type KeyboardEvent, useState } from 'react';
import { useBranches } from './branch-actions.ts';

interface MessageEditorProps {
  readonly text: string;
  /** Saves the new text; the editor waits for it and shows the error when it fails. */
  readonly onSave: (text: string) => Promise<void>;
  readonly onCancel: () => void;
}

/** The editor of a message. Escape cancels, Ctrl or Cmd with Enter saves; text that could not be saved stays. */
export function MessageEditor({ text: before, onSave, onCancel }: MessageEditorProps) {
  const { blocked } = useBranches();
  const [text, setText] = useState(before);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const possible = text.trim() !== '' && !sending && blocked === undefined;

  const save = () => {
    if (!possible) return;
    setSending(true);
    setProblem(undefined);
    onSave(text.trim()).catch((error: Error) => {
      setProblem(error.message);
      setSending(false);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
    else return;
    event.preventDefault();
  };

  return (
    <form
      className="editor"
      aria-label="Edit message"
      onKeyDown={onKeyDown}
      onSubmit={event => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        aria-label="New text"
        rows={1}
        value={text}
        readOnly={sending}
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={event => setText(event.target.value)}
      />
      {problem !== undefined && (
        <p className="editor-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="editor-row">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={!possible} title={blocked ?? 'Ctrl+Enter'}>
          Save
        </button>
      </div>
    </form>
  );
}
